// Pages that are opened as files may not start workers. Where that is so, a hidden frame does the work of one, so that
// search works without a server and without network. The idea is that of iframe-worker (Donath 2020).
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.waiting = [];
      this.ready = false;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.answer(data);
      inside.importScripts = () => {};
      const script = inside.document.createElement("script");
      script.src = new URL(address, document.baseURI).href;
      script.onload = () => this.open();
      script.onerror = () => this.dispatch(new Event("error"));
      inside.document.body.appendChild(script);
    }
    open() {
      this.ready = true;
      this.waiting.splice(0).forEach((data) => this.postMessage(data));
    }
    postMessage(data) {
      if (!this.ready) {
        this.waiting.push(data);
        return;
      }
      const event = new this.frame.contentWindow.MessageEvent("message", { data });
      this.frame.contentWindow.dispatchEvent(event);
    }
    answer(data) {
      setTimeout(() => this.dispatch(new MessageEvent("message", { data })), 0);
    }
    dispatch(event) {
      this.dispatchEvent(event);
      const handler = this[`on${event.type}`];
      if (handler) handler.call(this, event);
    }
    terminate() {
      this.frame.remove();
    }
  };
}
