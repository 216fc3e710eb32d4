"""What the README shows is what one gets."""

import re
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_the_ten_lines_of_the_readme_learn_three_kinds_of_slides(capsys):
    (block,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(block.splitlines()) <= 12
    names: dict[str, object] = {}
    exec(block, names)
    assert abs(names["run"].final_loglik.max() - -293.6) < 0.2  # one cell less than -293.705
    beliefs = names["posterior"](names["graph"], names["run"].best_theta, names["table"], "Kind")
    assert beliefs.shape == (118, 3)
    assert "best loglik" in capsys.readouterr().out
