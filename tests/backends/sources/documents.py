"""Documents to find things in, a PDF among them, made by hand."""

from __future__ import annotations


def pdf(*pages: str) -> bytes:
    """A PDF with one line of text on each page."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET"
        page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792]"
        page += f" /Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * at} 0 R >>"
        objects += [page, f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream"]
    made = b"%PDF-1.4\n"
    places: list[int] = []
    for number, one in enumerate(objects, start=1):
        places.append(len(made))
        made += f"{number} 0 obj\n{one}\nendobj\n".encode()
    start = len(made)
    made += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    made += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    return made + trailer.encode()
