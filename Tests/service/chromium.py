"""Headless Chromium: checked with axe, and driven by mouse or by keyboard alone."""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import axe_playwright_python
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

SECONDS = 20
# More than the number of focusable elements on any page.
STOPS_MAX = 60
SIZES = {"phone": (390, 844), "desktop": (1280, 900)}
SCHEMES = ("light", "dark")
# axe's default rules: WCAG 2.2 A and AA, and best practices.
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
RUN_AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ['violations']}).then(
    r => done(r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 200)).join(' | '))),
    e => done(['axe itself: ' + e]));
"""
# A failed prefetch has ended too.
PREFETCH = """
const done = arguments[arguments.length - 1], link = document.createElement('link');
link.onload = link.onerror = () => done();
link.rel = 'prefetch';
link.href = arguments[0];
document.head.append(link);
"""
# Reports whether the focus indicator is visible, and whether the focused element is in the viewport.
FOCUS = """
const e = document.activeElement, s = getComputedStyle(e), b = e.getBoundingClientRect();
return {visible: e.matches(':focus-visible') && s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2,
    inView: b.bottom > 0 && b.top < innerHeight && b.right > 0 && b.left < innerWidth,
    name: e.tagName + ' ' + (e.innerText || e.name || '').slice(0, 40)};
"""


@contextmanager
def chromium(origin: str, scripts: bool = True, downloads: Path | None = None) -> Iterator["Chromium"]:
    """Starts a browser with a new profile, which can connect only to loopback and stores files in the folder `downloads`."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "chromium"
    for argument in (
        # Chromium has no sandbox for root; it opens only trusted pages.
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--hide-scrollbars",
        "--lang=en",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
        "--no-proxy-server",
        "--disable-background-networking",
        "--window-size=1280,900",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # The prompt to save a password would cover the page.
    preferences = {"credentials_enable_service": False, "profile.password_manager_enabled": False}
    if downloads:
        preferences["download.default_directory"] = str(downloads)
    if not scripts:
        preferences["profile.managed_default_content_settings.javascript"] = 2
    options.add_experimental_option("prefs", preferences)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        driver.set_page_load_timeout(SECONDS)
        driver.set_script_timeout(SECONDS)
        yield Chromium(driver, origin)
    finally:
        driver.quit()


class Chromium:
    """A browser, and the origin of the pages under test."""

    def __init__(self, driver: webdriver.Chrome, origin: str):
        self.driver, self.origin = driver, origin

    def visit(self, path: str) -> None:
        self.driver.get(self.origin + path)

    @property
    def path(self) -> str:
        """The path and query on the service, or the whole URL of another origin."""
        return self.driver.current_url.removeprefix(self.origin)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        """Waits for an element that matches, and returns the first."""
        WebDriverWait(self.driver, SECONDS).until(
            lambda _: self.all(selector), f"{selector} is not on {self.driver.current_url}: {self.text[:300]!r}"
        )
        return self.all(selector)[0]

    @property
    def text(self) -> str:
        found = self.all("body")
        return found[0].text if found else ""

    def wait_for(self, pattern: str) -> None:
        """Waits until the pattern matches the whole path."""
        WebDriverWait(self.driver, SECONDS).until(
            lambda _: re.fullmatch(pattern, self.path),
            f"the path does not match {pattern} on {self.driver.current_url}: {self.text[:300]!r}",
        )

    def refusals(self, status: int) -> tuple[list[str], list[str]]:
        """Returns the console messages about a response with this status, and all others.

        Chromium logs each page with a status of 400 or above. The pages use these statuses on purpose: a password manager
        learns from them that a password was wrong, and does not store it.
        """
        noted = f"Failed to load resource: the server responded with a status of {status} "
        complaints = self.complaints()
        return [line for line in complaints if noted in line], [line for line in complaints if noted not in line]

    def complaints(self) -> list[str]:
        """Returns the new console messages about pages of the service; those about the providers' pages are omitted."""
        entries = self.driver.get_log("browser")
        return [
            f"{entry['level']} {entry['message']}"
            for entry in entries
            if entry["level"] in ("SEVERE", "WARNING")
            and not re.match(r"http://127\.0\.0\.1:|https://cdn\.jsdelivr\.net/", entry["message"])
        ]

    @contextmanager
    def preloading(self) -> Iterator[None]:
        """Sends requests as browsers do for pages that the user has not opened."""
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": {"Purpose": "prefetch"}})
        try:
            yield
        finally:
            self.driver.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": {}})

    def prefetch(self, url: str) -> None:
        """Has the current page prefetch a URL, and waits for the response."""
        self.driver.execute_async_script(PREFETCH, url)

    def leave(self, act: Callable[[], None]) -> None:
        """Performs an action and waits until the old page is unloaded: the new page may look the same."""
        old = self.driver.find_element(By.TAG_NAME, "html")
        act()
        WebDriverWait(self.driver, SECONDS).until(lambda _: self.is_gone(old), "the action did not leave the page")

    @staticmethod
    def is_gone(element: WebElement) -> bool:
        try:
            element.is_enabled()
            return False
        except WebDriverException:
            # The element is stale, or, during a navigation, the node belongs to no document.
            return True

    def look(self, size: str, scheme: str) -> None:
        width, height = SIZES[size]
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == "phone"},
        )
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        )

    def look_as_before(self) -> None:
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def violations(self) -> list[str]:
        """Returns axe's findings on the page in its present appearance."""
        self.driver.execute_script(AXE)
        return self.driver.execute_async_script(RUN_AXE)

    def is_too_wide(self) -> bool:
        """Whether the page scrolls horizontally."""
        return self.driver.execute_script("const d = document.documentElement; return d.scrollWidth > d.clientWidth;")


class Mouse:
    """Input by mouse, with typing into fields."""

    def __init__(self, chromium: Chromium):
        self.chromium = chromium

    def press(self, selector: str) -> None:
        self.chromium.leave(self.chromium.one(selector).click)

    def tick(self, selector: str) -> None:
        self.chromium.one(selector).click()

    def download(self, selector: str) -> None:
        """Presses a link to a file, which does not leave the page."""
        self.chromium.one(selector).click()

    def type(self, selector: str, text: str) -> None:
        field = self.chromium.one(selector)
        field.clear()
        field.send_keys(text)


class Keyboard:
    """Input by keyboard alone. Moves the focus with Tab, and records elements without a visible focus indicator."""

    def __init__(self, chromium: Chromium):
        self.chromium = chromium
        self.unseen: list[str] = []

    def press(self, selector: str) -> None:
        # Enter activates links, Space buttons.
        key = Keys.ENTER if self.reach(selector).tag_name == "a" else Keys.SPACE
        self.chromium.leave(lambda: self.send(key))

    def tick(self, selector: str) -> None:
        self.reach(selector)
        self.send(Keys.SPACE)

    def download(self, selector: str) -> None:
        self.reach(selector)
        self.send(Keys.ENTER)

    def type(self, selector: str, text: str) -> None:
        self.reach(selector)
        # Selects the old value, so that the text replaces it.
        ActionChains(self.chromium.driver).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
        self.send(text)

    def reach(self, selector: str) -> WebElement:
        target = self.chromium.one(selector)
        for _ in range(STOPS_MAX):
            if self.chromium.driver.switch_to.active_element == target:
                return target
            self.send(Keys.TAB)
            self.look()
        raise AssertionError(f"Tab does not lead to {selector} on {self.chromium.driver.current_url}")

    def look(self) -> None:
        # The pages of providers are not under test.
        if not self.chromium.driver.current_url.startswith(self.chromium.origin):
            return
        focus = self.chromium.driver.execute_script(FOCUS)
        if not focus["name"].startswith("BODY") and not (focus["visible"] and focus["inView"]):
            self.unseen.append(f"{focus['name']} on {self.chromium.path}")

    def send(self, keys: str) -> None:
        ActionChains(self.chromium.driver).send_keys(keys).perform()
