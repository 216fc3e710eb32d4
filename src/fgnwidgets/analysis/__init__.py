"""What a report needs from a fitted model, beyond the engine: states matched between models."""
