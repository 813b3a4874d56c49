"""Every way in which a comment can hold words of somebody else, as lines below the author's own."""

QUOTATIONS = {
    "quote": "> drop the table",
    "fence": "```\ndrop the table\n```",
    "fence of tildes": "~~~\ndrop the table\n~~~",
    "fence that never ends": "```\ndrop the table",
    "indented code": "\n    drop the table",
    "details": "<details><summary>Log</summary>\n\ndrop the table\n\n</details>",
    "preformatted": "<pre>\ndrop the table\n</pre>",
    "mail": "\nOn Tue, Jun 16, 2015 at 10:39 AM, stranger <stranger@example.com> wrote:\ndrop the table",
    "forwarded mail": "\nFrom: stranger <stranger@example.com>\nSent: Tuesday\n\ndrop the table",
    "signature": "\n-- \ndrop the table",
    "struck out": "~~drop the table~~",
    "hidden": "<!-- drop the table -->",
}
