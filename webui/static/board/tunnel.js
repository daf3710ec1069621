// Carries what YARN's web proxy refuses or garbles (POST, odd addresses) inside what it passes on: one PUT
// whose body is one line of ASCII. A classic script, as it must run before those of TensorBoard.
(function () {
  "use strict";
  const root = new URL(".", document.currentScript.src).href;
  const LONGEST_QUERY = 1500; // characters; the ApplicationMaster's side takes 4 KiB for address and headers
  const { fetch: nativeFetch, HTMLElement, XMLHttpRequest } = window;
  const nativeClick = HTMLElement.prototype.click;

  // Whether the proxy does not bring this request through as it is.
  function refused(method, address) {
    const url = new URL(address, document.baseURI);
    if (!url.href.startsWith(root)) return false;
    return !/^(GET|HEAD)$/i.test(method)
      || url.search.length > LONGEST_QUERY
      || /%(?!2f|20|3a)|[^\w.~:/@,!*'()=&+%?-]/i.test(url.search) // decoded once too often, or a template's
      || /[?&][^=&]+(&|$)/.test(url.search) // a flag without a value fails
      || /[^\w.~:/@,!*'()=&+-]/.test(url.pathname);
  }

  function encode64(buffer) {
    const bytes = new Uint8Array(buffer);
    let text = "";
    for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
    return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  }

  // The request that is sent in place of the refused one.
  async function wrap(request) {
    const { method, headers } = request;
    const url = new URL(request.url).href.slice(root.length);
    const head = { method, url, type: headers.get("content-type") ?? "", accept: headers.get("accept") ?? "" };
    const plain = /^(GET|HEAD)$/i.test(method);
    const body = plain ? new ArrayBuffer(0) : await request.arrayBuffer();
    const line = `${encode64(new TextEncoder().encode(JSON.stringify(head)))}.${encode64(body)}`;
    const label = url.split(/[?#]/)[0].replace(/[^\w./-]/g, "_").slice(0, 200); // for people who read logs
    // not a form's type: the proxy would take the first 8000 bytes for its own parameters
    const sent = { "Content-Type": "text/plain", "X-XSRF-Header": "1" };
    return { url: `${root}xl-tunnel?for=${label}`, init: { method: "PUT", body: line, headers: sent } };
  }

  window.fetch = async function (input, init) {
    const known = input instanceof Request;
    const method = init?.method ?? (known ? input.method : "GET");
    if (!refused(method, known ? input.url : String(input))) return nativeFetch.call(window, input, init);
    const request = new Request(input, init);
    const { signal } = request;
    const wrapped = await wrap(request);
    return nativeFetch.call(window, wrapped.url, { ...wrapped.init, signal });
  };

  // A download is a navigation, which no script can carry: fetched, then saved.
  document.addEventListener("click", async (event) => {
    const link = event.composedPath().find((e) => e.tagName === "A" && e.hasAttribute("download"));
    if (!link || event.defaultPrevented || !refused("GET", link.href)) return;
    event.preventDefault();
    const blob = await (await window.fetch(link.href)).blob();
    const copy = document.createElement("a");
    copy.href = URL.createObjectURL(blob);
    copy.download = link.download || "download";
    nativeClick.call(copy);
    setTimeout(() => URL.revokeObjectURL(copy.href), 60000);
  }, true);

  const { open, send, setRequestHeader, abort } = XMLHttpRequest.prototype;
  const calls = new WeakMap(); // of those that are carried

  function end(xhr, kind) {
    xhr.dispatchEvent(new ProgressEvent(kind));
    xhr.dispatchEvent(new ProgressEvent("loadend"));
  }

  Object.assign(XMLHttpRequest.prototype, {
    open(method, url, asynchronous) {
      calls.delete(this);
      if (asynchronous === false || !refused(method, String(url))) return open.apply(this, arguments);
      calls.set(this, { method, url: new URL(url, document.baseURI).href, headers: [] });
      return open.call(this, "GET", root, true); // the real one follows in send(); this one sets the state
    },
    setRequestHeader(name, value) {
      const call = calls.get(this);
      if (call) call.headers.push([name, value]);
      else setRequestHeader.call(this, name, value);
    },
    abort() {
      const call = calls.get(this);
      if (!call?.started || call.sent) return abort.call(this);
      call.aborted = true;
      return end(this, "abort");
    },
    send(body) {
      const call = calls.get(this);
      if (!call) return send.call(this, body);
      call.started = true;
      const plain = /^(GET|HEAD)$/i.test(call.method);
      const { method, headers } = call;
      wrap(new Request(call.url, { method, headers, body: plain ? undefined : body })).then((wrapped) => {
        if (call.aborted || calls.get(this) !== call) return;
        call.sent = true;
        open.call(this, wrapped.init.method, wrapped.url, true);
        for (const [name, value] of Object.entries(wrapped.init.headers)) setRequestHeader.call(this, name, value);
        send.call(this, wrapped.init.body);
      }).catch(() => end(this, "error"));
      return undefined;
    },
  });
})();
