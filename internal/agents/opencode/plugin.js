// Kedge's hooks for OpenCode: `kedge hooks install opencode` wrote this file, and
// `kedge hooks remove opencode` takes it away. In folders that are no project of
// Kedge's it does nothing. Whatever goes wrong here, OpenCode goes on.
import { spawn } from "node:child_process"

const command = COMMAND

// tell says to Kedge what happens, and gives its answer; empty when there is none.
function tell(event, seconds) {
  return new Promise((done) => {
    try {
      const child = spawn(command[0], command.slice(1), { cwd: event.cwd, stdio: ["pipe", "pipe", "ignore"] })
      const late = setTimeout(() => child.kill("SIGKILL"), seconds * 1000)
      let said = ""
      child.stdout.setEncoding("utf8") // a letter may come in two pieces
      child.stdout.on("data", (piece) => (said += piece))
      child.stdin.on("error", () => {})
      child.on("error", () => { clearTimeout(late); done("") })
      child.on("close", () => { clearTimeout(late); done(said) })
      child.stdin.end(JSON.stringify(event))
    } catch {
      done("")
    }
  })
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

export const Kedge = async ({ client, directory }) => {
  const seen = new Map() // by the session's id

  function of(id) {
    if (!seen.has(id)) seen.set(id, { source: "resume" })
    return seen.get(id)
  }

  // plans tells whether a session may only read; one that a planning session
  // started may not do more.
  function plans(id) {
    for (let at = seen.get(id), n = 0; at && n < 20; at = seen.get(at.parent), n++) {
      if (at.agent === "plan") return true
    }
    return false
  }

  function event(id, name, more) {
    return { hook_event_name: name, session_id: id, cwd: directory, permission_mode: plans(id) ? "plan" : "default", ...more }
  }

  // brief is where the work stands: asked for once, and again after a compaction.
  function brief(id) {
    const session = of(id)
    session.brief ??= tell(event(id, "SessionStart", { source: session.source }), 30).then((said) => parsed(said).hookSpecificOutput?.additionalContext ?? "")
    return session.brief
  }

  // stopped has the work looked at, and the session told, once, what is wrong with it.
  async function stopped(id) {
    const session = of(id)
    if (session.parent || !session.asked || session.done === session.asked) return
    const said = parsed(await tell(event(id, "Stop", { turn_id: session.asked, stop_hook_active: session.told === session.asked }), 900))
    if (said.decision === "block" && session.told !== session.asked) {
      session.told = session.asked
      session.ours = true
      await client.session.promptAsync({ path: { id }, body: { agent: session.agent, parts: [{ type: "text", text: said.reason }] } })
      return
    }
    session.done = session.asked // until the person says more
    if (said.systemMessage) await client.tui.showToast({ body: { message: said.systemMessage, variant: "warning" } })
  }

  async function happened({ type, properties }) {
    const id = properties?.sessionID ?? properties?.info?.id
    if (!id) return
    switch (type) {
      case "session.created":
        of(id).source = "startup"
        of(id).parent = properties.info?.parentID
        break
      case "session.compacted":
        of(id).source = "compact"
        of(id).brief = undefined
        await tell(event(id, "PostCompact", {}), 30)
        break
      case "session.idle":
        await stopped(id)
        break
      case "session.deleted":
        await tell(event(id, "SessionEnd", { reason: "deleted" }), 30)
        seen.delete(id)
    }
  }

  return {
    event: async ({ event }) => {
      await happened(event).catch(() => {})
    },
    "chat.message": async (input, output) => {
      const session = of(input.sessionID)
      session.agent = output?.message?.agent ?? input.agent
      if (session.ours) session.ours = false
      else session.asked = output?.message?.id ?? String(Date.now())
    },
    "experimental.chat.system.transform": async (input, output) => {
      if (!input.sessionID || of(input.sessionID).parent || !of(input.sessionID).asked) return
      if (output.system.some((text) => text.includes("title generator"))) return // it only names the conversation
      const text = await brief(input.sessionID)
      if (text) output.system.push(text)
    },
    "tool.execute.before": async (input, output) => {
      if (!plans(input.sessionID)) return
      const said = parsed(await tell(event(input.sessionID, "PreToolUse", { tool_name: input.tool, tool_use_id: input.callID, tool_input: output.args }), 30))
      const denied = said.hookSpecificOutput
      if (denied?.permissionDecision === "deny") throw new Error(denied.permissionDecisionReason)
    },
    "tool.execute.after": async (input, output) => {
      const exit = output?.metadata?.exit
      const said = parsed(await tell(event(input.sessionID, "PostToolUse", {
        tool_name: input.tool, tool_use_id: input.callID, tool_input: input.args ?? {},
        tool_response: { stdout: output?.output ?? "", persistedOutputPath: output?.metadata?.outputPath, error: exit ? "exit code " + exit : undefined },
      }), 30))
      const short = said.hookSpecificOutput?.updatedToolOutput?.stdout
      if (typeof short === "string") output.output = short
    },
    "experimental.session.compacting": async (input, output) => {
      const focus = await tell(event(input.sessionID, "PreCompact", { trigger: "auto" }), 30)
      if (focus) output.context.push(focus)
    },
  }
}
