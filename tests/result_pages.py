"""Result pages of search engines, written after the structure that theirs have."""

from __future__ import annotations

import base64

from cdp_agent.websearch import WebResult

TEA = WebResult(
    "Tea – the free encyclopedia", "https://en.wikipedia.org/wiki/Tea?a=1&b=2", "Tea is an aromatic beverage."
)
MUGS = WebResult("Mugs & more", "https://mugs.example/shop", "All mugs, from 4 € on.")
FOUND = [TEA, MUGS]


def bing_link(address: str) -> str:
    wrapped = "a1" + base64.urlsafe_b64encode(address.encode()).decode().rstrip("=")
    return f"https://www.bing.com/ck/a?!&amp;&amp;p=0f3c&amp;ptn=3&amp;hsh=4&amp;u={wrapped}&amp;ntb=1"


DUCKDUCKGO = """<html><head><title>tea at DuckDuckGo</title></head><body class="body--html">
<form id="search_form"><input name="q" value="tea"></form>
<div class="serp__results"><div id="links" class="results">
<div class="result results_links results_links_deep result--ad"><div class="links_main links_deep result__body">
<h2 class="result__title"><a rel="nofollow" class="result__a" href="//duckduckgo.com/y.js?ad_domain=ads.example">Buy</a>
</h2><a class="result__snippet" href="#">An advertisement</a></div></div>
<div class="result results_links results_links_deep web-result"><div class="links_main links_deep result__body">
<h2 class="result__title"><a rel="nofollow" class="result__a" href=\
"//duckduckgo.com/l/?uddg=https%3A%2F%2Fen.wikipedia.org%2Fwiki%2FTea%3Fa%3D1%26b%3D2&amp;rut=9ab">\
Tea – the free encyclopedia</a></h2>
<div class="result__extras"><a class="result__url" href="#"> en.wikipedia.org/wiki/Tea </a></div>
<a class="result__snippet" href="#"><b>Tea</b> is an aromatic
 beverage.</a><div class="clear"></div></div></div>
<div class="result results_links results_links_deep web-result"><div class="links_main links_deep result__body">
<h2 class="result__title"><a rel="nofollow" class="result__a" href="https://mugs.example/shop">Mugs &amp; more</a></h2>
<a class="result__snippet" href="#">All mugs, from 4 € on.</a></div></div>
<div class="result results_links web-result"><h2><a class="result__a" href=\
"//duckduckgo.com/l/?uddg=https%3A%2F%2Fmugs.example%2Fshop">The same again</a></h2></div>
</div></div></body></html>"""
DUCKDUCKGO_NONE = '<div id="links" class="results"><div class="no-results">No results found for <b>qzx</b>.</div></div>'
DUCKDUCKGO_CHALLENGE = """<form id="challenge-form" action="//duckduckgo.com/anomaly.js">
<div class="anomaly-modal__modal">
<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></div></form>"""

GOOGLE = """<html><head><title>tea - Google Search</title></head><body><div id="main">
<div id="tads"><div><a href="https://ads.example/"><h3>Tea, cheap</h3></a></div></div>
<div id="center_col"><div id="res"><div id="search"><div><div id="rso">
<div class="MjjYud"><div class="g Ww4FFb"><div class="kvH3mc"><div class="yuRUbf"><div><span>
<a jsname="UWckNb" href="/url?sa=t&amp;q=https://en.wikipedia.org/wiki/Tea%3Fa%3D1%26b%3D2&amp;ved=2a">
<h3 class="LC20lb">Tea – the free encyclopedia</h3>
<div class="notranslate"><cite>en.wikipedia.org › wiki</cite></div></a>
</span></div></div><div class="kb0PBd"><div class="VwiC3b yXK7lf">
<span>Tea is an <em>aromatic</em> beverage.</span></div>
</div></div></div></div>
<div class="MjjYud"><div class="g"><div><a href="https://mugs.example/shop"><h3>Mugs &amp; more</h3></a></div>
<div class="unknown"><cite>mugs.example</cite><span>All mugs, from 4 € on.</span></div></div></div>
</div></div></div></div></div></div></body></html>"""
GOOGLE_CONSENT = """<h1>Before you continue to Google</h1><form action="https://consent.google.com/save" method="POST">
<button>Reject all</button><button>Accept all</button></form>"""
GOOGLE_CHALLENGE = """<form id="captcha-form" action="index" method="post">
<div id="recaptcha" class="g-recaptcha"></div>
</form><p>Our systems have detected unusual traffic from your computer network.</p>"""

BING = f"""<html><head><title>tea - Search</title></head><body><main><ol id="b_results">
<li class="b_ad"><ul><li><h2><a href="https://www.bing.com/aclk?ld=1">Buy tea</a></h2></li></ul></li>
<li class="b_algo" data-id><div class="b_tpcn">
<a class="tilk" href="{bing_link(TEA.url)}"><cite>en.wikipedia.org</cite></a>
</div><h2 class=""><a target="_blank" href="{bing_link(TEA.url)}">Tea – the free <strong>encyclopedia</strong></a></h2>
<div class="b_caption"><p class="b_lineclamp2">
<span class="algoSlug_icon">Web</span>Tea is an aromatic beverage.</p></div>
</li><li class="b_algo"><h2><a href="https://mugs.example/shop">Mugs &amp; more</a></h2>
<p class="b_lineclamp3">All mugs, from 4 € on.</p></li>
<li class="b_algo"><div>a box without a link</div></li></ol></main></body></html>"""
BING_NONE = '<ol id="b_results"><li class="b_no"><h1>There are no results for <strong>qzx</strong></h1></li></ol>'
BING_CHALLENGE = '<div class="captcha"><h1>One last step</h1><div id="turnstile"></div></div>'

CHANGED = """<title>New look</title><main><article><a href="//duckduckgo.com/l/?uddg=https%3A%2F%2Ftea.example%2Fall">\
Tea for all</a><p>It looks different today.</p></article></main>"""

GOOGLE_SUB_LINKS = """<div id="rso"><div class="MjjYud"><div class="g"><div class="yuRUbf">
<a href="https://tea.example/"><h3>Tea house</h3></a></div><div class="VwiC3b">Teas of all kinds.</div>
<table><tr><td><div class="sitel"><a href="https://tea.example/green"><h3>Green</h3></a>
<div class="VwiC3b">Green teas.</div>
</div></td><td><a href="https://tea.example/black"><h3>Black</h3></a></td></tr></table></div></div>
<div class="MjjYud"><div class="g"><div><a href="https://mugs.example/"><h3>Mugs</h3></a></div>
<div class="VwiC3b">All mugs.</div></div></div></div>"""
GOOGLE_QUESTIONS = """<div id="rso"><div class="MjjYud"><div jsname="N760b"><h2>People also ask</h2>
<div class="related-question-pair" data-q="Is tea healthy?">
<div role="button" aria-expanded="true">Is tea healthy?</div>
<div><a href="https://health.example/tea"><h3>Is tea good for you?</h3></a>
<div class="VwiC3b">It may be.</div></div></div>
</div></div><div class="MjjYud"><div class="g"><div><a href="https://tea.example/"><h3>Tea house</h3></a></div>
<div class="VwiC3b">Teas of all kinds.</div></div></div></div>"""
BING_QUESTIONS = """<ol id="b_results"><li class="b_algo"><div id="relatedQnAListDisplay"><h2>People also ask</h2>
<h2><a href="https://health.example/tea">Is tea healthy?</a></h2></div></li>
<li class="b_algo"><h2><a href="https://tea.example/">Tea house</a></h2>
<div class="b_caption"><p>Teas of all kinds.</p></div>
<ul class="b_vList"><li><h3 class="deeplink_title"><a href="https://tea.example/green">Green</a></h3>
<p>Green teas.</p></li>
</ul></li></ol>"""
