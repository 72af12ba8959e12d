/**
 * One message that a platform delivers twice under two ids: same account, chat, sender, words and, to the millisecond,
 * the same time of creation. Somebody who repeats a question does so at another time.
 */

const WINDOW_MS = 60_000;
const MOST = 2_000;

export class Twins {
  #seen = new Map();

  /** @returns {boolean}  true when `ctx` repeats a message seen under another id */
  isTwin(ctx, text, now = Date.now()) {
    if (!Number.isSafeInteger(ctx.Timestamp)) return false;
    for (const [key, { at }] of this.#seen) {
      if (now - at < WINDOW_MS && this.#seen.size <= MOST) break;
      this.#seen.delete(key);
    }
    const key = JSON.stringify([ctx.Provider, ctx.AccountId, ctx.ChatId, ctx.SenderId, ctx.Timestamp, text]);
    const first = this.#seen.get(key);
    if (first !== undefined) return first.id !== ctx.MessageSid;
    this.#seen.set(key, { id: ctx.MessageSid, at: now });
    return false;
  }
}
