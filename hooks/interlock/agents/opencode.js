// Asks Interlock before a tool runs; whatever is not an answer refuses.
// Written by `interlock init --agent opencode`: do not edit.
import { spawn } from "node:child_process"

const COMMAND = INTERLOCK_COMMAND
const PATIENCE = 25000
const CLOSED = "CLD014 Interlock gave no answer, so the call is blocked; next: interlock doctor"

const ask = (event, data) =>
  new Promise((resolve) => {
    const [program, ...args] = COMMAND
    const process = spawn(program, [...args, event], { timeout: PATIENCE, killSignal: "SIGKILL", cwd: data.cwd })
    let out = ""
    process.stdout.on("data", (text) => (out += text))
    process.stdin.on("error", () => {})
    process.on("error", () => resolve(undefined))
    process.on("close", (code) => {
      try {
        resolve(code === 0 ? JSON.parse(out) : undefined)
      } catch {
        resolve(undefined)
      }
    })
    process.stdin.end(JSON.stringify({ hook_event_name: event, ...data }))
  })

export const Interlock = async ({ client, directory }) => {
  const parents = new Map()
  const facts = new Map()
  const who = async (session) => {
    if (!parents.has(session)) {
      const found = await client.session.get({ path: { id: session } }).catch(() => undefined)
      parents.set(session, found?.data?.parentID ?? "")
    }
    const parent = parents.get(session)
    return { cwd: directory, session_id: parent || session, ...(parent ? { agent_id: session } : {}) }
  }
  const tell = async (event, session, data) => ask(event, { ...(await who(session)), ...data })
  return {
    "tool.execute.before": async ({ tool, sessionID }, { args }) => {
      const answer = await tell("PreToolUse", sessionID, { tool_name: tool, tool_input: args })
      if (answer?.decision !== "allow") throw new Error(answer?.reason ?? CLOSED)
    },
    "tool.execute.after": async ({ tool, sessionID, args }, result) => {
      const tool_response = { stdout: result.output, exit: result.metadata?.exit ?? "unknown" }
      const answer = await tell("PostToolUse", sessionID, { tool_name: tool, tool_input: args, tool_response })
      if (answer?.context) result.output += `\n${answer.context}`
    },
    "chat.message": async ({ sessionID }, { parts }) => {
      // the task of a subagent is not a prompt of the user's
      if ((await who(sessionID)).agent_id) return
      const prompt = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n")
      const start = facts.get(sessionID)?.[0] ?? (await tell("SessionStart", sessionID, { source: "startup" }))?.context
      facts.set(sessionID, [start, (await tell("UserPromptSubmit", sessionID, { prompt }))?.context])
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => void system.push(...(facts.get(sessionID) ?? []).filter(Boolean)),
    "experimental.session.compacting": async ({ sessionID }) => void (await tell("PreCompact", sessionID, { trigger: "auto" })),
    "shell.env": async ({ sessionID }, { env }) => void (env.OPENCODE_SESSION_ID = sessionID ? (await who(sessionID)).session_id : ""),
  }
}
