// Written by `recollect init`; `recollect uninit` removes it.
import { spawn } from "node:child_process"

const [program, ...words] = WORDS

// Resolves to the answer of the hook (at start, prompt or tool) or to undefined; without a moment it only captures.
// A failing hook never stops a conversation.
const call = (payload, event, ...moment) =>
  new Promise((resolve) => {
    const done = (text) => resolve(text || undefined)
    try {
      const child = spawn(program, [...words, event, "opencode", ...moment], {
        stdio: ["pipe", "pipe", "ignore"],
        timeout: PATIENCE_MS,
      })
      let out = ""
      child.stdout.on("data", (part) => (out += part))
      child.stdin.on("error", () => {})
      child.on("error", () => done())
      child.on("close", () => {
        try {
          done(JSON.parse(out).additionalContext)
        } catch {
          done()
        }
      })
      child.stdin.end(JSON.stringify(payload))
    } catch {
      done()
    }
  })

export const Recollect = async ({ directory }) => {
  const begun = {}
  const begin = (id) =>
    (begun[id] ??= call(
      {
        hook: "event",
        input: { type: "session.created", properties: { sessionID: id, info: { id, directory } } },
        directory,
      },
      "session.created",
      "start",
    ))
  const later = ["session.idle", "session.compacted", "session.deleted"]
  // The end of a turn does not tell the answer: it is the last text of a message that is not the user's.
  const asked = new Set()
  const answers = {}
  const heard = ({ type, properties }) => {
    const { info, part } = properties ?? {}
    if (type === "message.updated" && info?.role === "user") asked.add(info.id)
    else if (type === "message.part.updated" && part?.type === "text" && !asked.has(part.messageID))
      answers[part.sessionID] = part.text
  }
  return {
    event: async ({ event }) => {
      heard(event)
      const id = event.properties?.sessionID
      if (event.type === "session.created") await begin(event.properties?.info?.id ?? id)
      else if (later.includes(event.type)) {
        const output = event.type === "session.idle" ? { answer: answers[id] } : undefined
        delete answers[id]
        await call({ hook: "event", input: event, output, directory }, event.type)
      }
    },
    "chat.message": async (input, output) => {
      delete answers[input.sessionID]
      const text = await call({ hook: "chat.message", input, output, directory }, "chat.message", "prompt")
      const part = text && output.parts.findLast((row) => row.type === "text")
      if (part) part.text += `\n\n${text}`
    },
    "tool.execute.after": async (input, output) => {
      const name = "tool.execute.after"
      const text = await call({ hook: name, input, output, directory }, name, "tool")
      if (!text) return
      if (typeof output.output === "string") output.output += `\n\n${text}`
      else if (Array.isArray(output.content)) output.content.push({ type: "text", text })
    },
    "experimental.chat.system.transform": async (input, output) => {
      const text = input.sessionID && (await begin(input.sessionID))
      if (text) output.system.push(text)
    },
  }
}
