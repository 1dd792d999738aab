// Commonplace for opencode: memories for the agent, and its turns for the book.
// Written by `commonplace install opencode`; `commonplace uninstall opencode` removes it.
import { spawn } from "node:child_process"

const COMMAND = "THE COMMAND"
const TIMES_MS = "THE TIMES"

const contextIn = (said) => {
  try {
    return JSON.parse(said).additionalContext ?? ""
  } catch {
    return ""
  }
}

// The context that Commonplace answers an event with; after a failure there is none.
const ask = (event, session, directory, fields) =>
  new Promise((resolve) => {
    const [program, ...words] = COMMAND
    const child = spawn(program, words, {
      cwd: directory,
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    })
    const alarm = setTimeout(() => child.kill(), TIMES_MS[event])
    const said = []
    child.on("error", () => resolve(""))
    child.on("close", () => {
      clearTimeout(alarm)
      resolve(contextIn(Buffer.concat(said).toString()))
    })
    child.stdout.on("data", (some) => said.push(some))
    child.stdin.on("error", () => {})
    const about = { hook_event_name: event, session_id: session, cwd: directory }
    child.stdin.end(JSON.stringify({ ...about, ...fields }))
  }).catch(() => "")

const wordsOf = (parts) =>
  parts
    .filter((one) => one.type === "text" && !one.synthetic && !one.ignored)
    .map((one) => one.text)
    .join("\n\n")

// `opencode run` puts quotation marks around an argument with blanks, which nobody wrote.
const unquoted = (text) =>
  process.argv.includes("run") && /^"(?:\\"|[^"])*"$/.test(text)
    ? text.slice(1, -1).replaceAll('\\"', '"')
    : text

export const Commonplace = async ({ client, directory }) => {
  // By id; null stands for the session of a subagent, whose prompts no person wrote.
  const sessions = new Map()
  let recorded = Promise.resolve()

  const begin = (info, source) => sessions.set(info.id, info.parentID ? null : { source })

  const find = async (id) => {
    if (!sessions.has(id)) {
      const found = await client.session.get({ path: { id } }).catch(() => undefined)
      begin({ id, parentID: found?.data?.parentID }, "resume")
    }
    return sessions.get(id)
  }

  const record = (id, session) => {
    const { answer } = session
    if (!answer) return
    session.answer = undefined
    session.last = answer.id
    const text = [...answer.texts.values()].join("\n\n")
    // opencode waits for no event, so that `dispose` does.
    const fields = { turn_id: answer.id, text }
    recorded = recorded.then(() => ask("session.idle", id, directory, fields))
  }

  const hear = (type, { sessionID, info, part }) => {
    const id = sessionID ?? info?.sessionID ?? part?.sessionID
    if (type === "session.created") begin(info, "startup")
    const session = sessions.get(id)
    if (!session) return
    if (type === "session.compacted") session.source = "compact"
    if (type === "session.idle") record(id, session)
    if (type === "message.updated" && info.role === "assistant" && !info.summary) {
      if (session.answer?.id !== info.id) session.answer = { id: info.id, texts: new Map() }
    }
    if (type === "message.part.updated" && part.messageID === session.answer?.id) {
      if (part.type === "text" && !part.synthetic) session.answer.texts.set(part.id, part.text)
    }
  }

  return {
    event: async ({ event }) => {
      hear(event.type, event.properties ?? {})
    },

    "chat.message": async ({ sessionID }, { message, parts }) => {
      const session = await find(sessionID)
      if (!session || !parts.length) return
      await recorded
      const contexts = []
      const { source } = session
      session.source = undefined
      if (source) contexts.push(await ask("session.created", sessionID, directory, { source }))
      const prompt = unquoted(wordsOf(parts))
      session.last = message.id
      if (prompt.trim()) {
        const fields = { turn_id: message.id, prompt }
        contexts.push(await ask("chat.message", sessionID, directory, fields))
      }
      const text = contexts.filter(Boolean).join("\n\n")
      // Parts are kept in the order of their ids, and a synthetic one is not shown.
      const place = { id: `${parts.at(-1).id}m`, sessionID, messageID: message.id }
      if (text) parts.push({ ...place, type: "text", synthetic: true, text })
    },

    dispose: async () => {
      for (const [id, session] of sessions) if (session) record(id, session)
      await recorded
      const over = [...sessions].filter(([, session]) => session?.last)
      sessions.clear()
      const end = ([id, { last }]) =>
        ask("dispose", id, directory, { turn_id: last, reason: "other" })
      await Promise.all(over.map(end))
    },
  }
}
