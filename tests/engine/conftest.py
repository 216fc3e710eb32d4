import numpy as np
import pytest
from ways import WAYS, go


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20240501)


@pytest.fixture(scope="module", params=WAYS)
def every_way(request):
    """A test runs with the fast path of hard evidence, on large tables too, and without it."""
    with pytest.MonkeyPatch.context() as patch:
        go(request.param, patch)
        yield request.param
