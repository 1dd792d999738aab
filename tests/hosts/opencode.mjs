// Calls the plugin as opencode does, with what opencode 1.18 hands over, and prints what came of it.
import { readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"

const { plugin, directory, prompts, as } = JSON.parse(readFileSync(0))
const [start] = Object.values(await import(pathToFileURL(plugin).href))
const sessionID = "ses_1"
const info = { id: sessionID, ...(as === "subagent" ? { parentID: "ses_0" } : {}) }
const hooks = await start({ client: { session: { get: async () => ({ data: info }) } }, directory })
const emit = (type, properties) => hooks.event({ event: { type, properties } })
const told = []

if (as !== "resumed") await emit("session.created", { sessionID, info })
for (const [index, prompt] of prompts.entries()) {
  if (prompt === "/compact") {
    await emit("session.compacted", { sessionID })
    continue
  }
  const message = { id: `msg_${index}`, role: "user", sessionID }
  const place = { type: "text", sessionID }
  const parts = [{ ...place, id: `prt_${index}`, text: prompt, messageID: message.id }]
  await hooks["chat.message"]({ sessionID }, { message, parts })
  told.push(parts.slice(1))
  await emit("message.updated", { sessionID, info: message })
  for (const part of parts) await emit("message.part.updated", { sessionID, part })
  for (const text of ["Looking.", "From main."]) {
    const answer = { id: `msg_${index}_${text}`, role: "assistant", sessionID }
    await emit("message.updated", { sessionID, info: answer })
    for (const so_far of [text.slice(0, 4), text]) {
      const part = { ...place, id: `prt_${answer.id}`, text: so_far, messageID: answer.id }
      await emit("message.part.updated", { sessionID, part })
    }
    await emit("message.updated", { sessionID, info: answer })
  }
  await emit("session.idle", { sessionID })
}
await hooks.dispose()
console.log(JSON.stringify({ told }))
