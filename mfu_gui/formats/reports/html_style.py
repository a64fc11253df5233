"""How an HTML report looks, on a screen and on paper."""

from __future__ import annotations

from mfu_gui.formats.reports import colors as c

STYLE = f"""\
:root {{ color-scheme: light; }}
* {{ box-sizing: border-box; }}
body {{ margin: 0; background: {c.SOFT}; color: {c.TEXT}; font: 14px/1.5 "Segoe UI", "Noto Sans", "Helvetica Neue",
  Arial, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif; font-variant-numeric: tabular-nums; }}
main {{ max-width: 60rem; margin: 0 auto; padding: 2.5rem 3rem; background: #fff; }}
h1 {{ font-size: 1.7rem; line-height: 1.25; margin: 0 0 1.5rem; overflow-wrap: anywhere; }}
h2 {{ font-size: 1.1rem; margin: 2.2rem 0 .6rem; padding-bottom: .3rem; border-bottom: 1px solid {c.LINE}; }}
p {{ margin: .5rem 0; overflow-wrap: anywhere; }}
.kind {{ margin: 0; color: {c.ACCENT}; font-size: .85rem; font-weight: 600; letter-spacing: .02em; }}
.headline {{ display: flex; flex-wrap: wrap; gap: 1rem 2rem; align-items: flex-end; }}
.headline span {{ display: block; color: {c.MUTED}; font-size: .8rem; }}
.headline b {{ font-size: 1.2rem; font-weight: 600; }}
.headline .main b {{ font-size: 2.6rem; line-height: 1.1; color: {c.ACCENT}; }}
.sentence {{ font-size: 1.05rem; }}
.muted, footer {{ color: {c.MUTED}; font-size: .85rem; }}
.formula {{ background: {c.SOFT}; border-radius: 6px; padding: .6rem .8rem; }}
.remark, .serious {{ border-radius: 6px; padding: .5rem .8rem; background: {c.WARNING_SOFT}; color: {c.WARNING}; }}
.serious {{ background: {c.ERROR_SOFT}; color: {c.ERROR}; }}
.scroll {{ overflow-x: auto; }}
table {{ border-collapse: collapse; width: 100%; font-size: .88rem; margin: .6rem 0; }}
th, td {{ padding: .32rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid {c.LINE}; }}
th {{ color: {c.MUTED}; font-weight: 600; white-space: nowrap; }}
.number {{ text-align: right; white-space: nowrap; }}
td small {{ display: block; color: {c.MUTED}; }}
td:first-child {{ min-width: 10.5rem; }}
.figures {{ width: auto; min-width: 60%; }}
.pairs td:first-child {{ color: {c.MUTED}; width: 18%; white-space: nowrap; }}
.total td {{ font-weight: 600; border-top: 1px solid {c.MUTED}; }}
.group td {{ font-weight: 600; background: {c.SOFT}; }}
.group td:last-child {{ font-weight: 400; color: {c.MUTED}; }}
.chosen td {{ font-weight: 600; background: {c.CHOSEN_SOFT}; }}
tr.muted td {{ color: {c.MUTED}; font-size: inherit; }}
figure {{ margin: 1rem 0; }}
svg {{ display: block; width: 100%; height: auto; }}
footer {{ margin-top: 2.5rem; padding-top: .8rem; border-top: 1px solid {c.LINE}; }}
@media (max-width: 40rem) {{ main {{ padding: 1.2rem; }} }}
@page {{ margin: 16mm 15mm; }}
@media print {{
  body {{ background: #fff; font-size: 10pt; -webkit-print-color-adjust: exact; print-color-adjust: exact; }}
  main {{ max-width: none; padding: 0; }}
  .scroll {{ overflow: visible; }}
  h2, h2 + p, tr.group {{ break-after: avoid; }}
  h2 {{ margin-top: 1.4rem; }}
  table {{ font-size: 8.5pt; }}
  th, td {{ padding: .12rem .4rem; }}
  .headline {{ gap: .6rem 1.3rem; }}
  tr, figure, .formula, .headline {{ break-inside: avoid; }}
  thead {{ display: table-header-group; }}
}}
"""
