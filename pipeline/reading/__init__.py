"""Read an issue as a document: sections with roles, what it cites, what kind of issue it is. Pure; no model and no code is needed."""
