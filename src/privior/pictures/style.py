"""The look of all pictures: colours that colour-blind readers can tell apart, and one scoped style sheet."""

from __future__ import annotations

INK, MUTED, GRID, PAPER = "#1b2a41", "#5b6778", "#e3e8ef", "#ffffff"
#: after Okabe and Ito; blue is what the records alone say, vermillion is what privacy costs
BLUE, VERMILLION, GREEN, PURPLE, BROWN = "#0072b2", "#d55e00", "#00805c", "#a0478a", "#8a6100"
SPENT, LEFT = "#66758a", "#e8edf3"

SERIES = (VERMILLION, GREEN, PURPLE, BROWN, INK)
LINES = (BLUE, MUTED, BROWN, PURPLE)

PAGE_STYLE = """
body{margin:0;background:#fff}
main.privior{max-width:46rem;margin:0 auto;padding:1.5rem 1rem 3rem}
@page{margin:18mm 16mm}
"""

STYLE = f"""
.privior{{color:{INK};background:{PAPER};color-scheme:light;overflow-wrap:anywhere;
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}}
.privior *{{box-sizing:border-box}}
.privior h1{{font-size:1.6rem;line-height:1.25;margin:0 0 1rem;letter-spacing:-.01em}}
.privior h2{{font-size:1.15rem;line-height:1.3;margin:2.2rem 0 .6rem;padding-bottom:.3rem;
border-bottom:1px solid {GRID}}}
.privior h3{{font-size:1rem;margin:1.4rem 0 .4rem}}
.privior p,.privior ul{{max-width:42rem;margin:.6rem 0}}
.privior a{{color:{BLUE}}}
.privior code,.privior pre{{font:.87em/1.45 ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace}}
.privior pre{{background:#f5f7fa;padding:.7rem .9rem;overflow-x:auto;overflow-wrap:normal}}
.privior .note{{color:{MUTED};font-size:.85rem;margin:.5rem 0 0}}
.privior .warning{{border-left:4px solid {VERMILLION};background:#fdf3ec;padding:.5rem .8rem}}
.privior .lead{{font-size:1.08rem}}
.privior .claim,.privior .quote{{border-left:4px solid {BLUE};background:#f1f6fb;padding:.6rem .9rem}}
.privior .claim{{font-size:1.05rem}}
.privior footer{{color:{MUTED};font-size:.85rem;margin-top:2.5rem;padding-top:.8rem;
border-top:1px solid {GRID}}}
.privior summary{{cursor:pointer;color:{MUTED}}}
.privior dl.facts{{margin:.6rem 0}}
.privior dl.facts>div{{display:grid;grid-template-columns:10rem 1fr;gap:0 1rem;padding:.3rem 0;
border-bottom:1px solid {GRID}}}
.privior dl.facts dt{{color:{MUTED}}}
.privior dl.facts dd{{margin:0;unicode-bidi:isolate}}
.privior .scroll{{overflow-x:auto;margin:.6rem 0}}
.privior table{{border-collapse:collapse;font-size:.9rem;overflow-wrap:normal;margin:0;width:auto}}
.privior th,.privior td{{text-align:left;vertical-align:top;padding:.3rem 1.1rem .3rem 0;
background:none;border:0;border-bottom:1px solid {GRID}}}
.privior tr>:last-child{{padding-right:0}}
.privior thead th{{color:{MUTED};font-weight:500;border-bottom:1px solid {MUTED};vertical-align:bottom}}
.privior tbody th{{font-weight:500;min-width:9rem}}
.privior td:not(.number){{min-width:9rem}}
.privior .number{{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}}
.privior thead .number{{white-space:normal;min-width:4rem}}
.privior figure{{container-type:inline-size;margin:1.2rem 0 1.6rem;padding:0}}
.privior figcaption{{font-weight:600;margin:0 0 .5rem}}
.privior .legend{{display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;list-style:none;margin:.5rem 0 0;padding:0;
font-size:.85rem;max-width:none}}
.privior .legend li{{display:flex;gap:.45rem;align-items:center;margin:0}}
.privior .legend svg{{flex:none}}
.privior svg{{display:block;overflow:visible;print-color-adjust:exact;-webkit-print-color-adjust:exact}}
.privior svg text{{font-size:12px;fill:{MUTED};font-variant-numeric:tabular-nums}}
.privior .network text{{paint-order:stroke;stroke:{PAPER};stroke-width:4px}}
.privior .grid{{stroke:{GRID};stroke-width:1}}
.privior .base{{stroke:{MUTED};stroke-width:1}}
.privior .whole{{stroke:{VERMILLION};stroke-width:2}}
.privior .inner{{stroke:{BLUE};stroke-width:7}}
.privior .centre{{fill:{PAPER};stroke:{INK};stroke-width:2}}
.privior svg .chosen{{fill:{INK};font-weight:600}}
.privior .cells{{display:grid;grid-template-columns:fit-content(38%) minmax(8rem,1fr) max-content;
column-gap:1rem;font-size:.9rem}}
.privior .cell{{display:grid;grid-column:1/-1;grid-template-columns:12rem 1fr 11rem;
grid-template-columns:subgrid;align-items:center;break-inside:avoid}}
.privior .cell svg{{grid-column:2;min-height:100%}}
.privior .name{{unicode-bidi:isolate;line-height:1.3}}
.privior .value{{font-variant-numeric:tabular-nums;text-align:right;white-space:nowrap}}
.privior .value span{{color:{MUTED}}}
.privior .plot{{padding:1.5rem 1rem 1.7rem 0}}
.privior .axis{{color:{MUTED};font-size:.85rem}}
.privior .across{{text-align:center;margin-top:-.3rem}}
@container (max-width:34rem){{
.privior .cells{{display:block}}
.privior .cell{{grid-template-columns:1fr max-content;column-gap:.8rem}}
.privior .cell svg{{grid-column:1/-1;grid-row:2;min-height:0}}
.privior .cell .value{{align-self:end}}
.privior .cell+.cell{{margin-top:.35rem}}
}}
@media (max-width:34rem){{
.privior dl.facts>div{{grid-template-columns:1fr}}
}}
@media print{{
.privior{{font-size:10.5pt;color:#000}}
main.privior{{max-width:none;padding:0}}
.privior figure.keep,.privior tr,.privior dl.facts>div,.privior figcaption{{break-inside:avoid}}
.privior h1,.privior h2,.privior h3,.privior figcaption{{break-after:avoid}}
.privior .scroll{{overflow:visible}}
.privior table{{overflow-wrap:break-word;font-size:.8rem}}
.privior td:not(.number){{min-width:0}}
.privior a[href^="http"]::after{{content:" (" attr(href) ")";font-size:.85em;color:{MUTED}}}
}}
"""
