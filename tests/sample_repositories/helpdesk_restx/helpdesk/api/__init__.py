"""Resources, a namespace for each kind of thing."""
