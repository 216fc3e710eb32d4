/* Python beside the page: starts Pyodide, from the files that the page carries or from an address,
 * and answers the page's questions. */

const TYPES = { js: "text/javascript", wasm: "application/wasm", json: "application/json" };
let answer = null;

self.onmessage = async ({ data }) => {
  try {
    if (!answer) answer = await start(data);
    self.postMessage({ answer: answer(data.message ?? "{}") });
  } catch (error) {
    self.postMessage({ fault: error.message ?? String(error) });
  }
};

async function start({ files, address, python, model, state, link }) {
  const run = (name) => importScripts(URL.createObjectURL(new Blob([files[name]])));
  if (!address) {
    const far = self.fetch;
    self.fetch = async (url, options) => {
      const name = String(url.url ?? url).split("/").pop();
      if (!(name in files)) return far(url, options);
      const type = TYPES[name.split(".").pop()] ?? "application/octet-stream";
      return new Response(files[name], { headers: { "content-type": type } });
    };
    run("pyodide.asm.js");
    run("pyodide.js");
  } else {
    try {
      importScripts(`${address}pyodide.js`);
    } catch {
      throw new Error(`Python could not be fetched from ${new URL(address).host}: it needs a network`);
    }
  }
  const indexURL = address || "https://files.invalid/";
  const pyodide = await loadPyodide({ indexURL, packages: ["numpy"] });
  pyodide.unpackArchive(files["python.zip"], "zip", { extractDir: "/page" });
  pyodide.FS.writeFile("/model.json", model);
  pyodide.runPython(python);
  return pyodide.globals.get("begin")("/model.json", state, link);
}
