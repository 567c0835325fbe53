// What Chrome lets nobody hold for some tabs alone: WebRTC by TCP and WebTransport, whose packets meet neither Fetch nor network
// conditions; requests that Chrome sends by itself as a page is left (`fetchLater`), or as a download that the page does not wait for
// (background fetch). Under rules of some tabs only, it runs in the page's own world before anything else does there.

(() => {
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport', 'fetchLater']) delete globalThis[name];
  const registration = globalThis.ServiceWorkerRegistration; // only where the page is secure
  if (registration) Reflect.deleteProperty(registration.prototype, 'backgroundFetch');
})();
