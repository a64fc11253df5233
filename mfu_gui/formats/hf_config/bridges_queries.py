"""What joins a tower to the text by learned queries: the Q-Former (BLIP-2, arXiv 2301.12597) and its relatives.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import Connector, Vector
from mfu_gui.formats.hf_config.access import Config
from mfu_gui.formats.hf_config.bridges import Bridge

if TYPE_CHECKING:
    from mfu_gui.formats.hf_config.families.vision import Tower

_QFORMER: dict[str, Any] = {
    "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12,
    "encoder_hidden_size": 1408, "cross_attention_frequency": 2, "vocab_size": 30522, "max_position_embeddings": 512,
}


class _Former(NamedTuple):
    """A Q-Former's sizes."""

    width: int
    inner: int
    layers: int
    crossing: int
    """Layers that look at the image."""
    source: int
    """Width of what they look at."""

    def connectors(self, queries: int, keys: int, copies: int = 1,
                   axis: Literal["patch", "grid"] = "patch") -> tuple[Connector, ...]:
        """``queries`` look at each other in each layer, at ``keys`` of the image in some, then pass an MLP;
        ``axis``: whether a class token is among the keys."""
        width, layers, crossing = self.width, self.layers * copies, self.crossing * copies
        return (
            Connector(widths=(width, width), copies=3 * layers),
            Connector(widths=(width, width), copies=layers, core_width=width, core_keys=queries),
            Connector(widths=(width, width), copies=crossing, core_width=width, core_keys=keys),
            Connector(widths=(width, width), copies=crossing),
            Connector(widths=(self.source, width), copies=2 * crossing, axis=axis),
            Connector(widths=(width, self.inner, width), copies=layers),
        )

    @property
    def norms(self) -> int:
        """Numbers of its norms: one before the layers, one behind each sublayer."""
        return 2 * self.width * (1 + 2 * self.layers + self.crossing)


def _former(config: Config, width: int, source: int) -> _Former:
    layers = config.layers()
    step = config.integer("cross_attention_frequency", 1, layers)
    heads = config.integer("num_attention_heads")
    if width % heads:
        raise InputError("config_head_dim", config.place("num_attention_heads"), hidden=width, heads=heads)
    return _Former(width, config.integer("intermediate_size"), layers, -(-layers // step), source)


def blip2(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """A Q-Former over all positions of the tower, and one matrix into the text."""
    config = wrapper.section("qformer_config", _QFORMER)
    width, source = config.integer("hidden_size"), config.integer("encoder_hidden_size")
    former = _former(config, width, source)
    queries = wrapper.integer("num_query_tokens", default=32)
    return Bridge((*former.connectors(queries, tower.tokens + 1), Connector(widths=(width, hidden))), queries,
                  (Vector(name="queries", size=queries * width),
                   Vector(name="query_norms", size=former.norms, store="norms")))


def instructblip(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """BLIP-2 whose queries read the instruction as well, through MLPs and tables of its own."""
    bridge = blip2(wrapper, vision, tower, hidden)
    config = wrapper.section("qformer_config", _QFORMER)
    wrapper.remark("config_instruction_not_counted", "qformer_config")
    width, inner, layers = config.integer("hidden_size"), config.integer("intermediate_size"), config.layers()
    tables = (config.integer("vocab_size") + config.integer("max_position_embeddings")) * width
    own = layers * (2 * width * inner + inner + 3 * width)
    return bridge._replace(vectors=(*bridge.vectors, Vector(name="instruction_tables", size=tables),
                                    Vector(name="instruction_mlps", size=own)))


def kosmos2(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """One matrix on each position of the tower; latents that look once at those and at themselves."""
    latents = wrapper.integer("latent_query_num", default=64)

    def square(**more: Any) -> Connector:
        return Connector(widths=(hidden, hidden), **more)

    return Bridge((
        Connector(widths=(tower.stack.hidden_size, hidden), axis="patch"),
        square(axis="patch", copies=2), square(copies=2, stored=False), square(),
        square(core_width=hidden, core_keys=tower.tokens + 1 + latents),
    ), latents, (Vector(name="latents", size=latents * hidden),))


def granite4(wrapper: Config, vision: Config, tower: Tower, hidden: int) -> Bridge:
    """Q-Formers on windows of patches: one for each tapped layer of the tower, four more for corners of 2 × 2."""
    taps = wrapper.items("deepstack_layer_map")
    rate = wrapper.text("downsample_rate")
    for key, value in (("deepstack_layer_map", taps), ("downsample_rate", rate)):
        if value is None:
            raise InputError("config_key_missing", wrapper.place(key), key=key, model_type=wrapper.model_type)
    above, _, below = (rate or "").partition("/")
    if not (above.isdecimal() and below.isdecimal() and 0 < int(above) <= int(below) <= 1024):
        raise InputError("unknown_choice", wrapper.place("downsample_rate"), value=rate, allowed="1/4, 1/2, 3/8")
    query, window = int(above), int(below)
    width = tower.stack.hidden_size
    side = vision.integer("image_size") // vision.integer("patch_size")
    if side % window:
        raise InputError("not_divisible", wrapper.place("downsample_rate"), value=side, divisor=window)
    config = wrapper.section("qformer_config", {**_QFORMER, "num_hidden_layers": 1, "cross_attention_frequency": 1})
    former = _former(config.changed("num_attention_heads", max(1, width // 64)), width, width)
    copies = len(taps or ()) + 4
    wrapper.assume("tiles", 1)
    own = (query * query + window * window) * width
    return Bridge((*former.connectors(query * query, window * window, copies, "grid"),
                   Connector(widths=(width, hidden), copies=copies)), (side // window * query) ** 2,
                  (Vector(name="queries", size=copies * own), Vector(name="image_newline", size=hidden),
                   Vector(name="query_norms", size=copies * (former.norms + 2 * width), store="norms")))
