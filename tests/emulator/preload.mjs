// What the GitHub of `emulate` 0.12.2 lacks and the App needs, loaded before it with `node --import`.
//
// Added, on the emulator's own state:
// - reactions to issues and comments;
// - runs of the one workflow `.github/workflows/askfirst.yml`: the label `askfirst` starts one, `display_title` is the
//   run-name of our template, and `workflow_run.completed` is sent with the `head_repository` that GitHub sends;
// - where the workflow is the one without the App: runs that comments of people start, and `head_repository` of a run;
// - artifacts with a digest, handed out by a redirect to an address that refuses an Authorization header;
// - `performed_via_github_app` on comments of the App, and delivery ids that differ within a millisecond.
//
// Control routes for tests, none of which GitHub has:
//   POST /_test/workflow               {head_sha, listens}       the workflow file is there, and the default branch is at;
//                                                                `listens`: comments start it, too
//   GET  /_test/runs                                             runs, oldest first, with the payload of their event
//   GET  /_test/reactions                                        path and content of each, oldest first
//   POST /_test/runs/:id/artifacts     {name, zip: base64}
//   POST /_test/runs/:id/complete      {conclusion}
//
// Everything else that a test sees is the emulator's own: App JWTs, tokens and their permissions, issues, comments,
// labels, roles, dispatching, cancelling and listing runs, signatures of webhooks.

import { createHash, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const dist = join(import.meta.dirname, "../npm/node_modules/emulate/dist");
const isTheirGitHub = (name) => name.endsWith(".js") && readFileSync(join(dist, name), "utf8").includes("var githubPlugin =");
const { getGitHubStore, githubPlugin } = await import(pathToFileURL(join(dist, readdirSync(dist).find(isTheirGitHub))));

const WORKFLOW = { name: "askfirst", path: ".github/workflows/askfirst.yml", state: "active", badge_url: null };
const COMMENTS = /^\/repos\/[^/]+\/[^/]+\/issues\/(comments\/\d+|\d+\/comments)$/;
const RUN = /^\/repos\/[^/]+\/[^/]+\/actions\/runs\/\d+$/;

const fetchBefore = globalThis.fetch;
globalThis.fetch = (address, options) => {
  const isDelivery = options?.headers?.["X-GitHub-Delivery"] !== undefined;
  const headers = isDelivery ? { ...options.headers, "X-GitHub-Delivery": randomUUID() } : options?.headers;
  return fetchBefore(address, { ...options, headers });
};

const registerBefore = githubPlugin.register;
githubPlugin.register = (app, store, webhooks, baseUrl, tokens) => {
  const gh = getGitHubStore(store);
  const archives = new Map();
  let listens = false;
  const payloads = new Map();

  const repositoryOf = (c) => gh.repos.findOneBy("full_name", `${c.req.param("owner")}/${c.req.param("repo")}`);
  const refused = (c, permission, level) => {
    const user = c.get("authUser");
    const { permissions = {}, repositoryIds = [] } = user?.installation ?? {};
    const granted = [level, "write"].includes(permissions[permission]) && repositoryIds.includes(repositoryOf(c)?.id);
    return user && (granted || !user.installation) ? null : c.json({ message: "Resource not accessible" }, 403);
  };
  const ofTheApp = (comment) =>
    comment?.user?.type === "Bot" ? { ...comment, performed_via_github_app: { id: gh.apps.all()[0].app_id } } : comment;

  const reactions = [];
  const react = async (c) => {
    const refusal = refused(c, "issues", "write");
    if (refusal) return refusal;
    const { content } = await c.req.json();
    reactions.push({ path: c.req.path, content });
    return c.json({ id: reactions.length, content }, 201);
  };
  app.post("/repos/:owner/:repo/issues/:number/reactions", react);
  app.post("/repos/:owner/:repo/issues/comments/:id/reactions", react);

  const describe = (artifact) => ({
    id: artifact.id,
    name: artifact.name,
    size_in_bytes: artifact.size_in_bytes,
    expired: false,
    digest: `sha256:${createHash("sha256").update(archives.get(artifact.id)).digest("hex")}`,
    archive_download_url: `${baseUrl}/repos/${gh.repos.get(artifact.repo_id).full_name}/actions/artifacts/${artifact.id}/zip`,
  });
  app.get("/repos/:owner/:repo/actions/runs/:id/artifacts", (c) => {
    const refusal = refused(c, "actions", "read");
    if (refusal) return refusal;
    const name = c.req.query("name");
    const found = gh.artifacts.findBy("run_id", Number(c.req.param("id"))).filter((one) => !name || one.name === name);
    return c.json({ total_count: found.length, artifacts: found.map(describe) });
  });
  app.get("/repos/:owner/:repo/actions/artifacts/:id/zip", (c) => {
    const archive = `${baseUrl}/_test/archives/${c.req.param("id")}`;
    const isThere = archives.has(Number(c.req.param("id")));
    return refused(c, "actions", "read") ?? (isThere ? c.redirect(archive) : c.json({ message: "Not Found" }, 404));
  });
  app.get("/_test/archives/:id", (c) =>
    c.req.header("Authorization")
      ? c.json({ message: "Only one auth mechanism allowed" }, 400)
      : new Response(archives.get(Number(c.req.param("id")))),
  );

  const start = (repository, event, actor, runName, payload) => {
    const [workflow] = gh.workflows.findBy("repo_id", repository.id);
    const branch = gh.branches.findBy("repo_id", repository.id).find((one) => one.name === repository.default_branch);
    return gh.workflowRuns.insert({
      node_id: "", repo_id: repository.id, workflow_id: workflow.id, name: runName, head_branch: branch.name,
      head_sha: branch.sha, run_number: gh.workflowRuns.all().length + 1, event, status: "queued", conclusion: null,
      actor_id: actor.id, run_attempt: 1, run_started_at: new Date().toISOString(),
    });
  };
  const dispatchBefore = webhooks.dispatch.bind(webhooks);
  webhooks.dispatch = (event, action, payload, owner, name) => {
    if (event === "issues" && action === "labeled" && payload.label.name === "askfirst") {
      const run = start(payload.repository, event, payload.sender, `askfirst #${payload.issue.number} `);
      payloads.set(run.id, payload);
    }
    if (listens && event === "issue_comment" && action === "created" && payload.sender.type === "User") {
      const run = start(payload.repository, event, payload.sender, `askfirst #${payload.issue.number}`);
      payloads.set(run.id, payload);
    }
    if (event === "workflow_dispatch") {
      const run = gh.workflowRuns.all().at(-1);
      const { issue, nonce } = payload.inputs;
      gh.workflowRuns.update(run.id, { name: `askfirst #${issue} ${nonce}` });
      payloads.set(run.id, payload);
    }
    return dispatchBefore(event, action, payload, owner, name);
  };
  registerBefore(app, store, webhooks, baseUrl, tokens);

  app.post("/_test/workflow", async (c) => {
    const [repository] = gh.repos.all();
    const [branch] = gh.branches.findBy("repo_id", repository.id);
    const { head_sha: sha, listens: commentsStartIt } = await c.req.json();
    listens = Boolean(commentsStartIt);
    gh.branches.update(branch.id, { sha });
    return c.json(gh.workflows.insert({ ...WORKFLOW, node_id: "", repo_id: repository.id }));
  });
  app.get("/_test/runs", (c) =>
    c.json(gh.workflowRuns.all().map((run) => ({ ...run, payload: payloads.get(run.id) }))),
  );
  app.get("/_test/reactions", (c) => c.json(reactions));
  app.post("/_test/runs/:id/artifacts", async (c) => {
    const { name, zip } = await c.req.json();
    const run = gh.workflowRuns.get(Number(c.req.param("id")));
    const archive = Buffer.from(zip, "base64");
    const row = { node_id: "", repo_id: run.repo_id, run_id: run.id, name, size_in_bytes: archive.length, expired: false };
    const artifact = gh.artifacts.insert(row);
    archives.set(artifact.id, archive);
    return c.json(describe(artifact));
  });
  app.post("/_test/runs/:id/complete", async (c) => {
    const { conclusion } = await c.req.json();
    const run = gh.workflowRuns.update(Number(c.req.param("id")), { status: "completed", conclusion });
    const path = `/repos/${gh.repos.get(run.repo_id).full_name}/actions/runs/${run.id}`;
    const headers = { Authorization: c.req.header("Authorization") };
    const described = await (await app.request(path, { headers })).json();
    const { repository, actor: sender } = described;
    const workflow_run = { ...described, head_repository: repository };
    const [owner, name] = repository.full_name.split("/");
    await webhooks.dispatch("workflow_run", "completed", { action: "completed", workflow_run, repository, sender }, owner, name);
    return c.json(workflow_run);
  });

  const answerBefore = app.fetch;
  app.fetch = async (request) => {
    const answer = await answerBefore(request);
    const { pathname } = new URL(request.url);
    const { status, headers } = answer;
    if (answer.ok && RUN.test(pathname)) {
      const run = await answer.json();
      return new Response(JSON.stringify({ ...run, head_repository: run.repository }), { status, headers });
    }
    if (!answer.ok || answer.status === 204 || !COMMENTS.test(pathname)) return answer;
    const said = await answer.json();
    return new Response(JSON.stringify(Array.isArray(said) ? said.map(ofTheApp) : ofTheApp(said)), { status, headers });
  };
};
