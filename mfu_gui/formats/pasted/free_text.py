"""A sentence about a run: "Llama 3.1 70B on 512 H100, 2.1 s/step, seq 8192, batch 1024", Chinese too.

Each rule takes the words it understands out of the text; what no rule takes is told to the user.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import islice

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.field import Kind
from mfu_gui.formats.pasted.names import Names
from mfu_gui.formats.pasted.proposal import Option, Pasted, Proposal
from mfu_gui.formats.quantities import parse

LONGEST = 4000
"""Characters; a longer text is no sentence about a run."""
MOST_NAMES = 24
_GAP = "\x00"
"""Stands in the text for what was understood, so that no rule reads across it."""

_NUMBER = r"\d(?:[\d,]{0,15}\d)?(?:\.\d{1,9})?(?:e[+-]?\d{1,2})?"
_SCALED = rf"{_NUMBER} ?(?:[kKMBbT万亿千]{{1,2}}i?(?![A-Za-z])|million|billion)?"
_IS = r" ?(?:is|of|was|为|是|约为|=|:|~|≈|约)? ?(?:~|≈|约)? ?"
_TIME_UNIT = r"(?:ms|msec|milliseconds?|毫秒|s|secs?|seconds?|秒钟?|min|minutes?|分钟?)"
_STEP = r"(?:steps?|its?|iters?|iterations?|步|迭代)"
_TOKENS = r"(?:tokens?|toks?|tkns?|词元)"
_SECOND = r"(?:s|sec|seconds?|秒)"
_DEVICE = r"(?:gpus?|npus?|tpus?|devices?|cards?|chips?|accelerators?|dies|die|卡|张卡|块卡|片|设备)"
_PER_DEVICE = rf"(?: ?(?:/|per|每) ?{_DEVICE})"
_END = r"(?![A-Za-z0-9])"
_START = r"(?<![A-Za-z0-9.])"

Found = tuple[tuple[Option, ...], str]
Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], Found | None]]


def _rule(pattern: str, make: Callable[[re.Match[str]], Found | None]) -> Rule:
    return re.compile(pattern, re.IGNORECASE), make


def _value(key: str, kind: Kind, unit: str = "") -> Callable[[re.Match[str]], Found | None]:
    """A rule whose group ``n`` (and ``u``, its unit) is the value of one field."""
    def make(match: re.Match[str]) -> Found | None:
        value = _parsed(match["n"] + (" " + match["u"] if "u" in match.groupdict() and match["u"] else ""), kind, unit)
        return None if value is None or value <= 0 else ((Option(key, value),), "")

    return make


def _parsed(text: str, kind: Kind, unit: str = "") -> float | None:
    try:
        return parse(text.strip(), kind, unit).value
    except InputError:
        return None


def _said(key: str, value: object, doubt: str = "") -> Callable[[re.Match[str]], Found]:
    return lambda match: ((Option(key, value),), doubt)


def _bare_time(match: re.Match[str]) -> Found | None:
    value = _parsed(f"{match['n']} {match['u']}", "time", "s")
    return None if not value else ((Option("run.measured.step_time_s", value),), "paste_time_of_what")


def _steps_per_second(match: re.Match[str]) -> Found | None:
    value = _parsed(match["n"], "real")
    return None if not value else ((Option("run.measured.step_time_s", float(f"{1 / value:.9g}")),), "")


def _tokens(match: re.Match[str]) -> Found | None:
    """Tokens a second: of one device, of all, or (where nothing says so) one of the two."""
    value = _parsed(match["n"], "real", "tokens/s")
    if not value:
        return None
    one = Option("run.measured.tokens_per_s_per_device", value)
    every = Option("run.measured.tokens_per_s", value)
    if match["d"] or match["d2"] or match["d3"]:
        return (one,), ""
    return ((every,), "") if match["all"] or match["all2"] else ((every, one), "")


def _tokens_each_second(match: re.Match[str]) -> Found | None:
    value = _parsed(match["n"], "real", "tokens/s")
    if not value:
        return None
    one = Option("run.measured.tokens_per_s_per_device", value)
    return ((one,), "") if match["d"] else ((Option("run.measured.tokens_per_s", value), one), "")


def _flops(match: re.Match[str]) -> Found | None:
    value = _parsed(f"{match['n']} {match['u']}", "real", "TFLOP/s")
    if not value:
        return None
    measured, reported = "run.measured.tflops_per_device", "reported.tflops_per_device"
    options = (Option(measured, value), Option(reported, value))
    return options if match["d"] or match["d2"] else (*options, Option("hardware.peak_tflops", value)), ""


def _utilization(match: re.Match[str]) -> Found | None:
    which = (match["which"] or match["which2"]).lower()
    text = match["n"] or match["n2"]
    value = _parsed(text, "fraction")
    if not value or value > 1:
        return None
    reported = Option(f"reported.{which}", value)
    return ((reported, Option("run.measured.mfu", value)) if which == "mfu" else (reported,)), ""


def _length(match: re.Match[str]) -> Found | None:
    return _powers("run.sequence_length", match["n"])


def _powers(key: str, text: str) -> Found | None:
    """A whole number; K is 1024 or 1000, and only the user knows which."""
    small = re.fullmatch(r"(\d{1,5}) ?[kK]", text.strip())
    if small:
        return (Option(key, int(small[1]) * 1024), Option(key, int(small[1]) * 1000)), ""
    value = _parsed(text, "integer")
    return None if not value else ((Option(key, value),), "")


def _batch(match: re.Match[str]) -> Found | None:
    value = _parsed(match["n"], "integer")
    if not value:
        return None
    if match["t"]:
        return (Option("tokens_per_step", value),), ""
    return (Option("run.global_batch", value), Option("run.micro_batch", value)), ""


def _nodes(match: re.Match[str]) -> Found | None:
    nodes, each = _parsed(match["n"], "integer"), _parsed(match["m"], "integer")
    return None if not nodes or not each else ((Option("run.devices", int(nodes * each)),), "")


_GLOBAL = r"(?:global[ _-]?batch(?:[ _-]?size)?|gbs|全局(?:批量|批次|批)(?:大小)?|总批量)"
_MICRO = r"(?:micro[ _-]?batch(?:[ _-]?size)?|mbs|微批(?:量|次)?(?:大小)?)"
_BATCH = r"(?:batch(?:[ _-]?size)?|bs|批量(?:大小)?|批次(?:大小)?|批大小)"
_SEQUENCE = (r"(?:seq(?:uence)?[ _-]?len(?:gth)?|seq(?:uence)?s?|seqlen|ctx(?:[ _-]?len)?|context(?:[ _-]?length)?"
             r"|序列长度|序列长|序列|上下文(?:长度)?)")
_ALL = r"(?:total|global|overall|aggregate|all|cluster|总|全局|整体|集群)"

_RULES: tuple[Rule, ...] = (
    # How long a step is
    _rule(rf"{_START}(?:step[ _-]?time|iteration[ _-]?time|time per (?:step|iteration)|elapsed time per iteration"
          rf"|单步(?:耗时|时间)|步时|步长时间|每步(?:耗时|用时|时间)?|一步){_IS}"
          rf"(?P<n>{_NUMBER}) ?(?P<u>{_TIME_UNIT}){_END}", _value("run.measured.step_time_s", "time", "s")),
    _rule(rf"{_START}(?P<n>{_NUMBER}) ?(?P<u>{_TIME_UNIT}) ?(?:/|per|a|an|每|一) ?{_STEP}{_END}",
          _value("run.measured.step_time_s", "time", "s")),
    _rule(rf"{_START}(?P<n>{_NUMBER}) ?{_STEP} ?(?:/|per|每) ?{_SECOND}{_END}", _steps_per_second),
    # How many tokens a second
    _rule(rf"(?:(?P<all>{_ALL}) ?)?(?:throughput|吞吐量?|速度)?{_IS}(?P<d2>每卡|单卡|每张卡|per[ -](?:gpu|device))?"
          rf"(?:每秒)? ?{_START}(?P<n>{_SCALED}) ?"
          rf"(?:{_TOKENS} ?(?P<d>/ ?{_DEVICE})? ?(?:/|per|每) ?{_SECOND}|tps|tgs|tok/s)(?P<d3>{_PER_DEVICE})?{_END}"
          rf"(?P<all2> ?(?:in total|total|overall|altogether|合计|总计|共计))?", _tokens),
    _rule(rf"(?P<d>每卡|单卡|每张卡)?每秒(?:处理|钟)? ?(?P<n>{_SCALED}) ?(?:个 ?)?{_TOKENS}{_END}",
          _tokens_each_second),
    _rule(rf"{_START}tgs{_IS}(?P<n>{_SCALED}){_END}",
          _value("run.measured.tokens_per_s_per_device", "real", "tokens/s")),
    # How many FLOP/s, how much of the peak
    _rule(rf"(?P<d2>每卡|单卡)?{_IS}{_START}(?P<n>{_NUMBER}) ?(?P<u>[TP])(?:FLOP/?s|FLOPS|FLOPs?/s)(?:/s)?"
          rf"(?P<d>{_PER_DEVICE})?{_END}", _flops),
    _rule(rf"{_START}(?P<which>MFU|HFU){_IS}(?P<n>{_NUMBER} ?%?)|"
          rf"(?P<n2>{_NUMBER} ?%) (?:of )?(?P<which2>MFU|HFU){_END}", _utilization),
    # Length and batch
    _rule(rf"{_START}{_SEQUENCE}{_IS}(?P<n>{_NUMBER} ?[kK]?){_END}(?: ?{_TOKENS})?", _length),
    _rule(rf"{_START}(?P<n>{_NUMBER} ?[kK]?)[ -]?(?:{_TOKENS} )?(?:context|seq(?:uence)?[ _-]?len(?:gth)?|上下文|序列)",
          _length),
    _rule(rf"{_START}{_MICRO}{_IS}(?P<n>{_SCALED}){_END}", _value("run.micro_batch", "integer")),
    _rule(rf"{_START}{_GLOBAL}{_IS}(?P<n>{_SCALED}){_END}(?! ?{_TOKENS})", _value("run.global_batch", "integer")),
    _rule(rf"{_START}(?:{_GLOBAL}|{_BATCH}){_IS}(?P<n>{_SCALED})(?P<t> ?{_TOKENS})?{_END}", _batch),
    # How it lies over devices
    _rule(rf"{_START}(?:tp|tensor[ _-]?parallel(?:[ _-]?size)?|张量并行)[ =:]?(?P<n>\d{{1,4}}){_END}",
          _value("run.parallel.tensor", "integer")),
    _rule(rf"{_START}(?:vpp|virtual[ _-]?pipeline|虚拟流水线)[ =:]?(?P<n>\d{{1,4}}){_END}",
          _value("run.parallel.virtual_pipeline", "integer")),
    _rule(rf"{_START}(?:pp|pipeline[ _-]?parallel(?:[ _-]?size)?|流水线并行)[ =:]?(?P<n>\d{{1,4}}){_END}",
          _value("run.parallel.pipeline", "integer")),
    _rule(rf"{_START}(?:cp|context[ _-]?parallel(?:[ _-]?size)?|上下文并行)[ =:]?(?P<n>\d{{1,4}}){_END}",
          _value("run.parallel.context", "integer")),
    _rule(rf"{_START}(?:ep|expert[ _-]?parallel(?:[ _-]?size)?|专家并行)[ =:]?(?P<n>\d{{1,4}}){_END}",
          _value("run.parallel.expert", "integer")),
    _rule(rf"{_START}(?:dp|data[ _-]?parallel(?:[ _-]?size)?|数据并行)[ =:]?(?P<n>\d{{1,6}}){_END}",
          _value("run.replicas", "integer")),
    _rule(rf"{_START}zero[ -]?(?:stage )?(?P<n>[0123]){_END}",
          lambda match: ((Option("run.parallel.zero_stage", match["n"]),), "")),
    _rule(rf"{_START}fsdp2?{_END}", _said("run.parallel.zero_stage", "3", "paste_fsdp")),
    # What is computed twice
    _rule(rf"{_START}(?:no|without) (?:activation )?(?:re-?comput\w+|checkpointing){_END}|不重计算|无重计算|不开重计算",
          _said("run.recompute", "none")),
    _rule(rf"{_START}full (?:activation )?(?:re-?comput\w+|checkpointing){_END}|(?:全量?|完全)(?:激活)?重计算",
          _said("run.recompute", "full")),
    _rule(rf"{_START}selective (?:activation )?(?:re-?comput\w+|checkpointing){_END}|选择性(?:激活)?重计算",
          _said("run.recompute", "selective")),
    # In which numbers
    _rule(rf"{_START}(?:bf16|bfloat16){_END}", _said("run.precision", "bf16")),
    _rule(rf"{_START}(?:fp16|float16){_END}", _said("run.precision", "fp16")),
    _rule(rf"{_START}(?:mx)?(?:fp8|float8){_END}", _said("run.precision", "fp8")),
    _rule(rf"{_START}(?:mx|nv)?fp4{_END}", _said("run.precision", "fp4")),
    _rule(rf"{_START}int8{_END}", _said("run.precision", "int8")),
    _rule(rf"{_START}tf32{_END}", _said("run.precision", "tf32")),
    _rule(rf"{_START}(?:fp32|float32){_END}", _said("run.precision", "fp32")),
)
_NODE = r"(?:nodes?|hosts?|servers?|machines?|台(?:机器|服务器)?|个?节点|机)"
_NODES: tuple[Rule, ...] = (
    _rule(rf"{_START}(?P<n>\d{{1,7}}) ?{_NODE}(?: ?(?:x|×|\*|of|with|each|各|每台|每节点|每个节点|共?) ?)"
          rf"(?P<m>\d{{1,3}})(?![\d.,]\d| ?(?:ms|s|秒)\b)(?: ?(?:x|×|\*))?(?: ?{_DEVICE}{_END})?", _nodes),
)
_COUNTS: tuple[Rule, ...] = (
    _rule(rf"{_START}(?P<n>{_NUMBER} ?[kK万]?) ?(?:张|块|片|颗|个|x|×|\*)? ?{_DEVICE}{_END}",
          lambda match: _powers("run.devices", match["n"])),
)
_NODE_WORD = re.compile(rf"(?<![A-Za-z]){_NODE}(?![A-Za-z])", re.IGNORECASE)
_BEFORE = re.compile(r"(?<![A-Za-z0-9.])(\d(?:[\d,]{0,8}\d)? ?(?:[kK](?= )|万)?) ?"
                     r"(?:x|×|\*|张|块|片|颗|个|枚|卡|pcs?)? ?$", re.IGNORECASE)
_AFTER = re.compile(r"^ ?(?:gpus?|npus?)? ?(?:(?:x|×|\*) ?(\d(?:[\d,]{0,8}\d)?)(?![A-Za-z0-9.])"
                    r"|(\d(?:[\d,]{0,8}\d)?) ?(?:张|块|片|颗|个|枚|卡))", re.IGNORECASE)
_GLUED = re.compile(r"(?<![A-Za-z0-9.])(\d[\d,]{0,9}) ?[x*](?=[A-Za-z]{1,6}\d|昇|英)", re.IGNORECASE)
_TIMES = re.compile(rf"{_START}(?P<n>{_NUMBER}) ?(?P<u>{_TIME_UNIT}){_END}", re.IGNORECASE)
_FILLERS = frozenset((
    "on", "with", "at", "and", "the", "a", "an", "in", "for", "using", "we", "i", "it", "was", "is", "are", "run",
    "runs", "running", "trained", "training", "train", "took", "takes", "take", "of", "by", "to", "from", "per", "our",
    "my", "gpu", "gpus", "npu", "npus", "card", "cards", "device", "devices", "time", "times", "about", "around",
    "approx", "训练", "使用", "用", "在", "上", "的", "和", "了", "每", "跑", "卡", "张", "块", "个", "共", "需要",
    "需", "约", "左右", "模型", "我们", "采用", "耗时", "为", "是", "精度", "长度", "一共", "总共"))


_MEASURED = frozenset({"run.measured.step_time_s", "run.measured.tokens_per_s",
                       "run.measured.tokens_per_s_per_device"})


class _Text:
    """The text while it is read: what is understood is taken out of it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[tuple[int, Proposal]] = []

    def take(self, start: int, end: int, options: tuple[Option, ...], doubt: str = "", where: str = "") -> None:
        words = where or " ".join(self.text[start:end].replace(_GAP, " ").split())
        self.found.append((start, Proposal(words, options, doubt)))
        self.text = self.text[:start] + _GAP * (end - start) + self.text[end:]

    def apply(self, rules: tuple[Rule, ...]) -> None:
        for pattern, make in rules:
            for match in list(pattern.finditer(self.text)):
                found = make(match) if _GAP not in match.group() else None
                if found is not None:
                    start = match.start() + len(match.group()) - len(match.group().lstrip(" :=,;~"))
                    self.take(start, match.end(), *found)


def read_sentence(text: str, names: Names) -> Pasted | None:
    """What a sentence says about a run; None when nothing of it means anything here, or it is too long."""
    if len(text) > LONGEST:
        return None
    plain = _GLUED.sub(r"\1 × ", _plain(text))
    reading = _Text(plain)
    reading.apply(_RULES)
    reading.apply(_NODES)
    _take_names(reading, names)
    reading.apply(_COUNTS)
    if not any(option.key.startswith("run.measured.") for _, p in reading.found for option in p.options):
        reading.apply(((_TIMES, _bare_time),))
    if not reading.found:
        return None
    nodes_left = _NODE_WORD.search(reading.text) is not None
    proposals = _settled([proposal for _, proposal in sorted(reading.found, key=lambda item: item[0])], nodes_left)
    return Pasted("text", tuple(proposals), tuple(_unread(reading.text)))


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).replace("×", " × ").replace(_GAP, " ")
    text = "".join(" " if unicodedata.category(c) in ("Zs", "Cc", "Cf") and c != "\n" else c for c in text)
    return re.sub(r"[ \t]+", " ", text)


def _take_names(reading: _Text, names: Names) -> None:
    for name in list(islice(names.find(reading.text), MOST_NAMES)):
        key = "model.preset" if name.kind == "mfu-model" else "hardware.preset"
        options = tuple(Option(key, info.id, info.name) for info in name.presets)
        words = reading.text[name.start : name.end]
        if name.kind == "mfu-hardware":
            _take_count(reading, name.start, name.end)
        reading.take(name.start, name.end, options, where=words)


def _take_count(reading: _Text, start: int, end: int) -> None:
    """The number that stands with the name of an accelerator: "512 × H100", "512 张 H100", "H100 × 512"."""
    before = _BEFORE.search(reading.text[max(0, start - 24) : start])
    if before:
        found = _powers("run.devices", before[1])
        if found:
            offset = max(0, start - 24)
            reading.take(offset + before.start(), offset + before.end(), *found,
                         where=(before.group() + reading.text[start:end]).strip())
            return
    after = _AFTER.search(reading.text[end : end + 24])
    if after:
        value = _parsed(after[1] or after[2], "integer")
        if value:
            words = reading.text[start : end + after.end()]
            reading.take(end + after.start(), end + after.end(), (Option("run.devices", value),), where=words.strip())


def _settled(proposals: list[Proposal], nodes_left: bool) -> list[Proposal]:
    """What one part of the sentence settles for another: a batch in tokens, and whose batch it is.

    ``nodes_left``: something about nodes was not understood, so that a number of devices may be that of one.
    """
    known = {p.options[0].key: p.options[0].value for p in proposals if p.certain}
    keys = {option.key for p in proposals for option in p.options}
    settled = []
    for proposal in proposals:
        first = proposal.options[0]
        if first.key == "tokens_per_step":
            length = known.get("run.sequence_length")
            if length is None or first.value % length:
                settled.append(Proposal(proposal.where, (), "paste_tokens_of_batch"))
            else:
                settled.append(Proposal(proposal.where, (Option("run.global_batch", first.value // length),)))
        elif [option.key for option in proposal.options] == ["run.global_batch", "run.micro_batch"]:
            devices = known.get("run.devices")
            plain = devices is not None and first.value >= devices and "run.global_batch" not in known
            settled.append(Proposal(proposal.where, proposal.options[:1]) if plain else proposal)
        elif first.key == "reported.mfu" and keys & _MEASURED:
            # A run has one measured quantity; the other figure is what somebody says it comes to.
            settled.append(Proposal(proposal.where, proposal.options[:1]))
        elif first.key == "run.devices" and nodes_left:
            settled.append(Proposal(proposal.where, proposal.options, "paste_one_node"))
        elif first.key == "reported.tflops_per_device" or (
                first.key == "run.measured.tflops_per_device" and keys & _MEASURED):
            settled.append(Proposal(proposal.where, tuple(o for o in proposal.options
                                                          if o.key != "run.measured.tflops_per_device")))
        elif first.key == "run.replicas" and "run.devices" in keys:
            # Devices and the other sizes say the same; what is said twice is left to the first.
            settled.append(Proposal(proposal.where, (), "paste_replicas"))
        else:
            settled.append(proposal)
    return settled


def _unread(text: str) -> Iterator[str]:
    """Pieces of the text that no rule took, without the words that every sentence has."""
    for piece in re.split(rf"[{_GAP}\n,;，；。!?！？、|()\[\]{{}}\"]+", text):
        words = [word for word in piece.split() if word.casefold().strip(".:-–—/@+&") not in _FILLERS]
        kept = " ".join(words).strip(" .:-–—/@+&=×*x~")
        if kept and kept.casefold() not in _FILLERS and not all(c in "的在上用了和每训练使用张卡块个" for c in kept):
            yield kept[:120]
