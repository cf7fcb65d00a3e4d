// Who can open a link to this server.

const LOCAL = ["localhost", "127.0.0.1", "[::1]"];
const NETWORK = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.)|\.(local|lan|home\.arpa|internal)$|^[^.]+$|^\[f[cde]/i;

/** In plain words, for people (`others`) and for one's own devices (`device`). `far`: whether it works outside this computer. */
export function reach(host = location.hostname) {
  const hint = "Start the server with “make play HOST=0.0.0.0” to let others in.";
  if (LOCAL.includes(host)) return { far: false, others: `Only this computer can open the link. ${hint}`, device: `Only this computer can open it, though. ${hint}` };
  if (NETWORK.test(host)) return { far: true, others: "Anyone in your network can open the link.", device: "Your device has to be in the same network." };
  return { far: true, others: "Anyone with the link can open it.", device: "" };
}
