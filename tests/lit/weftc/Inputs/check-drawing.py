"""Checks that no two texts of a drawing overlap and that all lie on the paper.

The font has a fixed width, so the room of a text is known.
"""

import sys
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
# Pixels, by class; else 12.
SIZES = {"title": 15, "heading": 13, "small": 10.5, "section": 10.5,
         "mark": 10.5, "on": 10.5, "on-undefined": 10.5}


def box(text):
    """Left, right, top and bottom of a text's letters."""
    classes = text.get("class", "").split()
    size = max([SIZES[c] for c in classes if c in SIZES], default=12)
    if "small" in classes:
        size = 10.5
    # 0.605 em a letter; the title of a section is spaced by 0.08 em.
    width = len(text.text) * size * (0.685 if "section" in classes else 0.605)
    x, y = float(text.get("x")), float(text.get("y"))
    if "middle" in classes or "mark" in classes:
        x -= width / 2
    return x, x + width, y - 0.75 * size, y + 0.2 * size


def main():
    root = ElementTree.parse(sys.argv[1]).getroot()
    width, height = float(root.get("width")), float(root.get("height"))
    texts = [(text.text, box(text)) for text in root.iter(SVG + "text")]
    wrong = []
    for index, (content, (left, right, top, bottom)) in enumerate(texts):
        if left < 0 or right > width or top < 0 or bottom > height:
            wrong.append(f"'{content}' leaves the paper")
        for other, (left2, right2, top2, bottom2) in texts[:index]:
            if left < right2 and left2 < right and top < bottom2 and top2 < bottom:
                wrong.append(f"'{content}' lies on '{other}'")
    print("\n".join(wrong) or f"{len(texts)} texts, none overlaps")
    return 1 if wrong else 0


sys.exit(main())
