"""How prose meets registry: mentions become ids, and words select among candidates. Shared by the deciding stages; pure."""
