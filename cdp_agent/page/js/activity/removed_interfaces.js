// Removes what Chrome cannot hold for single tabs: WebRTC over TCP and WebTransport, whose packets bypass both Fetch
// and network conditions; requests that Chrome sends itself when a page is left (`fetchLater`) or in the background
// (background fetch). Where rules apply to some tabs only, this runs in the page's own world before any other script.

(() => {
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport', 'fetchLater'])
    delete globalThis[name];
  const registration = globalThis.ServiceWorkerRegistration; // exists in secure contexts only
  if (registration) Reflect.deleteProperty(registration.prototype, 'backgroundFetch');
})();
