/* Starts a recording on its page: unpacks it, and draws it in the place of the still picture. */
const told = document.getElementById("told");
try {
  const packed = await fetch(`data:application/gzip;base64,${document.getElementById("record").textContent}`);
  const plain = packed.body.pipeThrough(new DecompressionStream("gzip"));
  const record = await new Response(plain).json();
  const text = JSON.parse(document.getElementById("view").textContent);
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const { default: play } = await import(address);
  const live = document.getElementById("live");
  live.hidden = false;
  play(live, record);
  document.getElementById("picture").hidden = true;
  told.textContent = record.told;
} catch (error) {
  console.warn(error);
  told.textContent = `A still picture: the run could not be played here (${String(error).slice(0, 200)}).`;
}
