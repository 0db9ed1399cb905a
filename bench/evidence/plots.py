"""Plots as plain SVG, the same bytes for the same numbers."""
import math

WIDTH, HEIGHT, LEFT, BOTTOM = 640, 420, 70, 50
COLOURS = {"storage": "#1f77b4", "cpu": "#d62728", "copies": "#9467bd", "gpu": "#2ca02c",
           "scale_out": "#ff7f0e", "any": "#7f7f7f"}


class Plot:
    def __init__(self, title, x, y):
        self.title, self.x, self.y = title, x, y
        self.parts = []

    def at(self, u, v):
        """From shares of the axes to places."""
        return LEFT + u * (WIDTH - LEFT - 20), HEIGHT - BOTTOM - v * (HEIGHT - BOTTOM - 40)

    def line(self, a, b, style):
        (x1, y1), (x2, y2) = self.at(*a), self.at(*b)
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {style}/>')

    def dot(self, u, v, colour, title):
        x, y = self.at(u, v)
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}" '
                          f'fill-opacity="0.6"><title>{escape(title)}</title></circle>')

    def bar(self, u, v, width, height, colour):
        x, y = self.at(u, v + height)
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width * (WIDTH - LEFT - 20):.1f}" '
                          f'height="{height * (HEIGHT - BOTTOM - 40):.1f}" fill="{colour}"/>')

    def text(self, u, v, words, anchor="middle", dx=0, dy=0):
        x, y = self.at(u, v)
        self.parts.append(f'<text x="{x + dx:.1f}" y="{y + dy:.1f}" text-anchor="{anchor}">'
                          f"{escape(words)}</text>")

    def done(self):
        frame = ('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="none" stroke="#888"/>' %
                 (LEFT, 40, WIDTH - LEFT - 20, HEIGHT - BOTTOM - 40))
        middle = (HEIGHT - BOTTOM + 40) / 2
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
                f'font-family="sans-serif" font-size="12" role="img" aria-label="{escape(self.title)}">\n'
                f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n'
                f'<text x="{WIDTH / 2}" y="22" text-anchor="middle" font-size="14">'
                f"{escape(self.title)}</text>\n" + "\n".join(self.parts) + "\n" + frame +
                f'\n<text x="{WIDTH / 2}" y="{HEIGHT - 10}" text-anchor="middle">{escape(self.x)}</text>\n'
                f'<text transform="translate(16 {middle}) rotate(-90)" text-anchor="middle">'
                f"{escape(self.y)}</text>\n</svg>\n")


def escape(text):
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def predicted_against_measured(points):
    """Each in its own unit: samples/s, seconds, shares, counts."""
    plot = Plot("Predicted and measured, each in its own unit", "predicted", "measured")
    low, high = -5.0, 8.0
    def place(value):
        return max(0.0, min(1.0, (math.log10(value) - low) / (high - low)))
    for power in range(-4, 8, 2):
        label = f"{10.0 ** power:g}"
        plot.line((place(10.0 ** power), 0), (place(10.0 ** power), 1), 'stroke="#eee"')
        plot.line((0, place(10.0 ** power)), (1, place(10.0 ** power)), 'stroke="#eee"')
        plot.text(place(10.0 ** power), 0, label, "middle", 0, 16)
        plot.text(0, place(10.0 ** power), label, "end", -6, 4)
    plot.line((0, 0), (1, 1), 'stroke="#888" stroke-dasharray="4"')
    for p in points:
        plot.dot(place(p.predicted), place(p.measured), COLOURS[p.kind], f"{p.study}: {p.name}")
    legend(plot)
    return plot.done()


def ratio_against_width(points):
    """Measured over predicted, against the half-width of the interval that was given for it."""
    plot = Plot("Measured over predicted, and the 90 % interval given", "half-width of the interval "
                "(times or over)", "measured / predicted")
    high = math.log(8.0)
    def up(value):
        return 0.5 + max(-1.0, min(1.0, value / high)) / 2.0
    def along(value):
        return max(0.0, min(1.0, value / math.log(4.0)))
    for value in (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8):
        plot.line((0, up(math.log(value))), (1, up(math.log(value))), 'stroke="#ddd"')
        plot.text(0, up(math.log(value)), f"{value:g}", "end", -6, 4)
    for value in (1, 1.25, 1.5, 2, 3, 4):
        plot.text(along(math.log(value)), 0, f"{value:g}", "middle", 0, 16)
    for side in (-1, 1):
        plot.line((0, 0.5), (1, 0.5 + side * math.log(4.0) / high / 2), 'stroke="#888" stroke-dasharray="4"')
    for p, span in points:
        half = math.log(span[1] / span[0]) / 2
        plot.dot(along(half), up(p.residual), COLOURS[p.kind], f"{p.study}: {p.name}")
    legend(plot)
    return plot.done()


def legend(plot):
    for i, (name, colour) in enumerate(COLOURS.items()):
        plot.bar(0.02 + 0.16 * i, 0.955, 0.015, 0.025, colour)
        plot.text(0.04 + 0.16 * i, 0.955, name, "start", 0, 0)


def coverage(rows):
    """rows: [(nominal, share, low, high)] with the model's error, and without it."""
    plot = Plot("Coverage against what the interval says", "share that the interval is to hold",
                "share that it holds")
    plot.line((0, 0), (1, 1), 'stroke="#888" stroke-dasharray="4"')
    for value in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        plot.text(value, 0, f"{value:.0%}", "middle", 0, 16)
        plot.text(0, value, f"{value:.0%}", "end", -6, 4)
    for colour, name, of in rows:
        for nominal, share, low, high in of:
            plot.line((nominal, low), (nominal, high), f'stroke="{colour}" stroke-width="2"')
            plot.dot(nominal, share, colour, f"{name}: {share:.0%}")
    for i, (colour, name, _) in enumerate(rows):
        plot.bar(0.03, 0.93 - 0.06 * i, 0.015, 0.03, colour)
        plot.text(0.06, 0.93 - 0.06 * i, name, "start")
    return plot.done()


def by_class(rows):
    """rows: [(class, median error, half-width - 1)]"""
    plot = Plot("Median error and half-width of the 90 % interval, by class", "class", "share")
    top = max(max(error, width) for _, error, width in rows) * 1.15
    for i, (name, error, width) in enumerate(rows):
        u = (i + 0.5) / len(rows)
        plot.bar(u - 0.06, 0, 0.05, error / top, COLOURS.get(name, "#7f7f7f"))
        plot.bar(u + 0.01, 0, 0.05, width / top, "#cccccc")
        plot.text(u - 0.035, error / top, f"{error:.0%}", "middle", 0, -4)
        plot.text(u + 0.035, width / top, f"{width:.0%}", "middle", 0, -4)
        plot.text(u, 0, name, "middle", 0, 16)
    return plot.done()
