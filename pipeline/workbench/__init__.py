"""The tools of agents: the worktree, the registry and the tests behind their tools, and one way to run an agent."""
