"""Whether two outputs are the same: text exactly, pictures by their pixels."""

import base64
import io

import numpy as np
from PIL import Image

from fgn_notebooks.authors import compare


def png(pixels: np.ndarray, software: str = "") -> bytes:
    from PIL.PngImagePlugin import PngInfo

    info = PngInfo()
    if software:
        info.add_text("Software", software)
    file = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(file, "png", pnginfo=info)
    return file.getvalue()


def shown(*pictures: bytes) -> list[dict]:
    bundles = [{"image/png": base64.b64encode(picture).decode()} for picture in pictures]
    return [{"output_type": "display_data", "data": bundle} for bundle in bundles]


GREY = np.full((20, 30, 3), 100)


def test_equal_pixels_are_the_same_picture_whatever_the_encoder_noted():
    one, other = png(GREY, "matplotlib 1"), png(GREY, "matplotlib 2")
    assert one != other
    assert compare.picture_fault(one, other, tolerance=0) is None


def test_the_difference_is_the_root_mean_square_over_all_channels():
    # 3 of 4 channels (alpha is equal) differ by 4: sqrt(3 / 4 * 16)
    fault = compare.picture_fault(png(GREY), png(GREY + 4))
    assert fault == f"picture differs: RMS {np.sqrt(12):.2f} > 2.0"
    assert compare.picture_fault(png(GREY), png(GREY + 2)) is None


def test_a_fault_between_two_versions_of_the_drawing_library_names_both():
    fault = compare.picture_fault(png(GREY, "drawer 1"), png(GREY + 50, "drawer 2"))
    assert fault.endswith("(stored by drawer 1, drawn by drawer 2)")


def test_the_size_and_the_number_of_pictures_count():
    assert "pixels stored" in compare.picture_fault(png(GREY), png(GREY[:10]))
    stored, new = shown(png(GREY), png(GREY)), shown(png(GREY))
    assert compare.picture_faults(stored, new) == ["2 pictures stored, 1 now"]


def test_a_base64_text_in_lines_is_read_whole():
    stored = shown(png(GREY))
    text = stored[0]["data"]["image/png"]
    stored[0]["data"]["image/png"] = [text[:40] + "\n", text[40:]]
    assert compare.faults(stored, shown(png(GREY))) == []


def test_text_is_compared_exactly_and_the_first_differing_line_is_named():
    def printed(text):
        return [{"output_type": "stream", "name": "stdout", "text": text}]

    assert compare.faults(printed("a\nb\n"), printed(["a\n", "b\n"])) == []
    assert compare.faults(printed("a\nb\n"), printed("a\nc\n")) == [
        "stdout differs: 'b' stored, 'c' now"
    ]
    assert compare.faults(printed("a\n"), []) == ["stdout differs: 1 lines stored, 0 now"]


def test_svg_and_errors_are_text_and_widget_views_are_not_compared():
    def drawn(svg):
        return [{"output_type": "display_data", "data": {"image/svg+xml": svg}}]

    assert compare.faults(drawn("<svg/>"), drawn("<svg/>")) == []
    assert compare.faults(drawn("<svg/>"), drawn("<g/>"))
    error = {"output_type": "error", "ename": "ValueError", "evalue": "no"}
    assert compare.faults([error], [error | {"evalue": "yes"}])
    view = {"output_type": "display_data", "data": {compare.WIDGETS[0]: {"model_id": "7"}}}
    assert compare.faults([view], []) == []
