"""One HTML page about a fitted model: summaries as plain data, then markup, style and script."""

from bayeswood.report.page.html_report import HtmlReport, html

__all__ = ["HtmlReport", "html"]
