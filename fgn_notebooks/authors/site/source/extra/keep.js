/* Keeps what was loaded, so that a second visit and a lesson without a network start at once.
 *
 * A page and a .json file come from the network, if that answers soon; all else was loaded under a name
 * that changes with what is in it, or does not change within one build of the site. JupyterLite's own
 * service worker, which has its folder to itself, loads this file, too. */

const KEPT = "fgn-{{build}}";
const FAR = "https://cdn.jsdelivr.net/pyodide/";
const SOON = 2500; // ms
const HEARTBEAT = "/api/service-worker-heartbeat"; // JupyterLite asks whether a service worker is there

self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("activate", (event) => event.waitUntil((async () => {
  const old = (await caches.keys()).filter((name) => name.startsWith("fgn-") && name !== KEPT);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
})()));

/* What a page had loaded before this was there; and a page that was loading while this began. */
self.addEventListener("message", (event) => {
  if (event.data?.claim) event.waitUntil(self.clients.claim());
  if (!Array.isArray(event.data?.keep)) return;
  event.waitUntil((async () => {
    const cache = await caches.open(KEPT);
    for (const address of event.data.keep.filter((each) => ours(new URL(each)))) {
      if (await cache.match(address)) continue;
      await fetch(address).then((answer) => answer.ok && cache.put(address, answer)).catch(() => {});
    }
  })());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (address.origin === location.origin && address.pathname === HEARTBEAT) {
    event.stopImmediatePropagation();
    event.respondWith(new Response("ok"));
    return;
  }
  if (request.method !== "GET" || request.headers.has("range") || !ours(address)) return;
  event.stopImmediatePropagation(); // JupyterLite would answer a second time
  event.respondWith(answered(request, address));
});

function ours(address) {
  if (/\/api\/(drive|stdin)/.test(address.pathname)) return false; // JupyterLite's
  return address.origin === location.origin || address.href.startsWith(FAR);
}

async function answered(request, address) {
  const cache = await caches.open(KEPT);
  const page = request.mode === "navigate";
  const held = () => cache.match(request, { ignoreSearch: page, ignoreVary: true });
  const far = async () => {
    const answer = await fetch(request);
    if (answer.status === 200) await cache.put(request, answer.clone()).catch(() => {}); // a full disk
    return answer;
  };
  if (!page && !address.pathname.endsWith(".json")) return (await held()) ?? far();
  const late = new Promise((done) => { setTimeout(done, SOON); });
  const asked = far();
  try {
    return (await Promise.race([asked, late.then(held)])) ?? (await asked);
  } catch (error) {
    const known = await held();
    if (known) return known;
    throw error;
  }
}
