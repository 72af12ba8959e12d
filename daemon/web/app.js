// The web page: one more bridge client. It renders text as text; nothing from a page or an answer becomes markup.
"use strict";

const $ = (id) => document.getElementById(id);
const waiting = new Map(); // message id -> the element that shows its answer
let socket = null;
let pause = 500;

function connect() {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  socket = new WebSocket(`${scheme}//${location.host}/ws`);
  socket.onopen = () => {
    pause = 500;
    $("state").textContent = "已连接";
  };
  socket.onclose = () => {
    $("state").textContent = "连接断开，正在重连…";
    setTimeout(connect, pause);
    pause = Math.min(pause * 2, 10000);
  };
  socket.onmessage = (event) => show(JSON.parse(event.data));
}

function turn(kind, text) {
  const element = document.createElement("div");
  element.className = `turn ${kind}`;
  element.textContent = text;
  $("log").append(element);
  element.scrollIntoView({ block: "end" });
  return element;
}

// Text with its http(s) links made clickable.
function fill(element, text) {
  element.textContent = "";
  let last = 0;
  for (const match of text.matchAll(/https?:\/\/[^\s<>"']+/g)) {
    element.append(text.slice(last, match.index));
    const link = document.createElement("a");
    link.href = match[0];
    link.rel = "noreferrer noopener";
    link.target = "_blank";
    link.textContent = match[0];
    element.append(link);
    last = match.index + match[0].length;
  }
  element.append(text.slice(last));
}

function show(frame) {
  if (frame.type === "ping" || frame.type === "pong" || frame.type === "ack") return;
  const element = waiting.get(frame.id) || turn("bot", "");
  waiting.delete(frame.id);
  if (frame.type === "error") {
    element.classList.add("error");
    element.textContent = `${frame.error}: ${frame.message}`;
    return;
  }
  fill(element, frame.text);
  const meta = document.createElement("span");
  meta.className = "meta";
  meta.textContent = [frame.outcome, frame.query_id].filter(Boolean).join(" · ");
  element.append(meta);
  element.scrollIntoView({ block: "end" });
}

$("type").onchange = () => { $("chat").disabled = $("type").value !== "group"; };
$("ask").onsubmit = (event) => {
  event.preventDefault();
  if (!$("who").reportValidity() || socket.readyState !== WebSocket.OPEN) return;
  const text = $("text").value;
  const id = `web-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
  const group = $("type").value === "group";
  turn("me", text);
  waiting.set(id, turn("bot", "…"));
  socket.send(JSON.stringify({
    type: "message", id, SenderId: $("sender").value, ChatType: $("type").value,
    GroupSubject: group ? $("chat").value : "", text, mentioned: true,
  }));
  $("text").value = "";
};
connect();
