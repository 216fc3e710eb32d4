/* A new scene in which all that is as before is the very value of before, so that what draws it sees at
 * a glance that nothing changed. */

/**
 * @template T
 * @param {any} old @param {T} now
 * @returns {T} `old` if both are alike, else `now`, made of what `old` already has
 */
export function share(old, now) {
  if (old === now || old === null || now === null) return now;
  if (typeof old !== "object" || typeof now !== "object") return now;
  if (Array.isArray(old) !== Array.isArray(now)) return now;
  if (Array.isArray(now)) {
    let alike = old.length === now.length;
    for (let i = 0; i < now.length; i += 1) {
      const shared = share(old[i], now[i]);
      if (shared !== old[i]) alike = false;
      if (shared !== now[i]) now[i] = shared;
    }
    return alike ? /** @type {any} */ (old) : now;
  }
  const [before, after] = [/** @type {any} */ (old), /** @type {any} */ (now)];
  let alike = true;
  let names = 0;
  for (const name in after) {
    names += 1;
    const shared = share(before[name], after[name]);
    if (shared !== before[name]) alike = false;
    if (shared !== after[name]) after[name] = shared;
  }
  if (alike && Object.keys(before).length === names) return before;
  return now;
}

/** The parts of a list, shared with those of before by their ids, whatever their order.
 *
 * @template {{id: string}} T
 * @param {T[] | undefined} old @param {T[]} now
 * @returns {T[]} */
export function shareById(old, now) {
  const before = new Map((old ?? []).map((part) => [part.id, part]));
  const made = now.map((part) => share(before.get(part.id), part));
  return old && old.length === made.length && made.every((part, i) => part === old[i]) ? old : made;
}
