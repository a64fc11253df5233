"""Three hundred random edits over all tabs: nothing fails, nothing is said by Qt, nothing is left behind.

`dev.py fuzz` takes a hundred thousand, in a process of its own, and measures memory and latency too.
"""

from __future__ import annotations

from mfu_gui.ui.main_window import MainWindow
from tests.soak.soak import Soak
from tests.ui.conftest import answers, make_window, services, window  # noqa: F401 - fixtures


def test_random_edits(window: MainWindow) -> None:  # noqa: F811 - the fixture
    soak = Soak(window, 11)
    soak.settle()
    soak.run(60)
    soak.settle()
    before = soak.objects()
    soak.run(240)
    soak.settle()
    after = soak.objects()
    grown = {name: count - before.get(name, 0) for name, count in after.items() if count > before.get(name, 0)}
    assert sum(grown.values()) < 40, grown
    assert len(soak.done) > 8, "too little was tried"
