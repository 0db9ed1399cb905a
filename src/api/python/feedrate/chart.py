"""Charts as SVG, with nothing but Python: bars beside their names, and lines over a number."""

import html
import math

_COLOURS = ("#1f5fae", "#b4380f", "#14706b", "#8a5a00", "#7a3f98", "#55616e", "#1f7899", "#a83266")
_INK, _SOFT, _LINE, _PAPER = "#1b2530", "#55616e", "#dfe4e9", "#ffffff"
_WIDTH = 640


class Chart:
    """An SVG that notebooks show; str(chart) is its text."""

    def __init__(self, svg):
        self._svg = svg

    def __str__(self):
        return self._svg

    def _repr_svg_(self):
        return self._svg

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._svg)


def shortened(text, longest):
    """Of whoever wrote the scenario: no control characters, no more than fits."""
    text = "".join(sign if sign.isprintable() else " " for sign in str(text))
    return text if len(text) <= longest else text[: longest - 1] + "…"


def escaped(text, longest=200):
    return html.escape(shortened(text, longest))


def number(value):
    return "%.4g" % value


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _text(x, y, text, anchor="start", colour=_INK):
    return '<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s">%s</text>' % (
        x, y, anchor, colour, escaped(text),
    )  # fmt: skip


def _line(x1, y1, x2, y2, colour=_LINE):
    return '<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s"/>' % (x1, y1, x2, y2, colour)


def _picture(title, height, parts):
    return Chart(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" '
        'aria-label="%s" font-family="system-ui, sans-serif" font-size="12">'
        '<rect width="100%%" height="100%%" fill="%s"/>%s</svg>\n'
        % (_WIDTH, height, _WIDTH, height, escaped(title), _PAPER, "".join(parts))
    )


def bars(rows, title):
    """rows: (name, number), drawn in their order."""
    rows = [(shortened(name, 40), value) for name, value in rows if is_number(value)]
    if not rows:
        raise ValueError("nothing to draw: there is no number in %s" % title)
    low = min(0.0, *(value for _, value in rows))
    high = max(0.0, *(value for _, value in rows))
    left, right, top, step = 40 + 6.2 * max(len(name) for name, _ in rows), _WIDTH - 70, 34, 24
    if low < 0:
        left += 50  # numbers of bars to the left
    scale = (right - left) / ((high - low) or 1.0)
    zero = left - low * scale
    parts = [_text(10, 18, title, colour=_SOFT), _line(zero, top - 4, zero, top + step * len(rows), _SOFT)]
    names = left - 8 - (50 if low < 0 else 0)
    for i, (name, value) in enumerate(rows):
        y, end = top + step * i, zero + value * scale
        parts.append(
            '<rect x="%.1f" y="%.1f" width="%.1f" height="14" fill="%s"/>'
            % (min(zero, end), y, abs(end - zero), _COLOURS[0] if value >= 0 else _COLOURS[1])
        )
        parts.append(_text(names, y + 11, name, "end"))
        parts.append(_text(end + (5 if value >= 0 else -5), y + 11, number(value), "start" if value >= 0 else "end"))
    return _picture(title, top + step * len(rows) + 8, parts)


def _ticks(low, high):
    step = 10.0 ** math.floor(math.log10((high - low) / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (step * factor) <= 6)
    first = math.ceil(low / step - 1e-9)
    return [step * i for i in range(first, math.floor(high / step + 1e-9) + 1)]


def lines(series, x_title, y_title):
    """series: {name: [(x, y), …]}; the vertical axis begins at 0."""
    series = {
        name: sorted((x, y) for x, y in points if is_number(x) and is_number(y))
        for name, points in series.items()
    }
    series = {name: points for name, points in series.items() if points}
    if not series:
        raise ValueError("nothing to draw: there is no number in %s over %s" % (y_title, x_title))
    xs = [x for points in series.values() for x, _ in points]
    ys = [y for points in series.values() for _, y in points]
    x_low, x_high, y_low, y_high = min(xs), max(xs), min(0.0, *ys), max(0.0, *ys)
    if x_high == x_low:
        x_high += max(1, abs(x_low))  # 1 alone is lost beside 1e300
    if y_high == y_low:
        y_high += 1
    for name, span in ((x_title, x_high - x_low), (y_title, y_high - y_low)):
        if not 1e-300 < span < math.inf:
            raise ValueError("nothing to draw: the numbers are too large or too small in %s" % name)
    several = len(series) > 1
    left, right, top, bottom = 70, _WIDTH - (150 if several else 20), 34, 260

    def at(x, y):
        return (
            left + (x - x_low) / (x_high - x_low) * (right - left),
            bottom - (y - y_low) / (y_high - y_low) * (bottom - top),
        )

    title = "%s over %s" % (y_title, x_title)
    parts = [_text(10, 18, y_title, colour=_SOFT), _text(right, bottom + 34, x_title, "end", _SOFT)]
    for tick in _ticks(y_low, y_high):
        y = at(x_low, tick)[1]
        parts += [_line(left, y, right, y), _text(left - 8, y + 4, number(tick), "end", _SOFT)]
    for tick in _ticks(x_low, x_high):
        parts.append(_text(at(tick, y_low)[0], bottom + 18, number(tick), "middle", _SOFT))
    for i, (name, points) in enumerate(series.items()):
        colour = _COLOURS[i % len(_COLOURS)]
        way = " ".join("%.1f,%.1f" % at(*point) for point in points)
        parts.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>' % (way, colour))
        parts += ['<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>' % (*at(*point), colour) for point in points]
        if several and i < 14:
            parts.append(_text(right + 12, top + 8 + 16 * i, shortened(name, 21), colour=colour))
    return _picture(title, bottom + 44, parts)
