"""Django's admin with 240 books on a port of its own, printed as the first line.

Run in an environment with Django. Arguments: a folder for the database and, to have a log-in asked for, the password
of its user, "librarian"; then how many books a page lists, if not all.
"""

from __future__ import annotations

import socketserver
import sys
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.conf import settings

PASSWORD = sys.argv[2] if len(sys.argv) > 2 else None
BOOKS = 240
BOOKS_A_PAGE = int(sys.argv[3]) if len(sys.argv) > 3 else BOOKS

settings.configure(
    SECRET_KEY="bench",  # served on loopback, to a benchmark
    ALLOWED_HOSTS=["*"],
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],  # a safe one takes long, as it should
    ROOT_URLCONF=__name__,
    STATIC_URL="static/",
    MIGRATION_MODULES=dict.fromkeys(("admin", "auth", "contenttypes", "sessions")),  # its tables are made at a stroke
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": Path(sys.argv[1]) / "books.sqlite3"}},
    INSTALLED_APPS=[
        f"django.contrib.{app}" for app in ("admin", "auth", "contenttypes", "sessions", "messages", "staticfiles")
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        f"{__name__}.everybody_is_the_librarian",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages",
                ]
            },
        }
    ],
)
django.setup()

from django.contrib import admin  # noqa: E402  (Django's modules can be imported only after its set-up)
from django.contrib.auth.models import User  # noqa: E402
from django.contrib.staticfiles.handlers import StaticFilesHandler  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import models  # noqa: E402
from django.urls import path  # noqa: E402


def everybody_is_the_librarian(get_response: Any) -> Any:
    def middleware(request: Any) -> Any:
        if PASSWORD is None:
            request.user = User.objects.get(username="librarian")
        return get_response(request)

    return middleware


class Author(models.Model):
    name = models.CharField(max_length=80)

    class Meta:
        app_label = "admin"

    def __str__(self) -> str:
        return str(self.name)


class Book(models.Model):
    title = models.CharField(max_length=120)
    author = models.ForeignKey(Author, on_delete=models.CASCADE)
    genre = models.CharField(max_length=20, choices=[(g, g.title()) for g in ("essay", "novel", "poetry", "science")])
    published = models.DateField()
    lent = models.BooleanField(default=False)

    class Meta:
        app_label = "admin"

    def __str__(self) -> str:
        return str(self.title)


@admin.register(Book)
class BookAdmin(admin.ModelAdmin):
    list_display = ("title", "author", "genre", "published", "lent")
    list_filter = ("genre", "lent")
    search_fields = ("title",)
    list_per_page = BOOKS_A_PAGE


admin.site.register(Author)
urlpatterns = [path("admin/", admin.site.urls)]


def fill_database() -> None:
    call_command("migrate", run_syncdb=True, verbosity=0)
    if User.objects.exists():
        return
    User.objects.create_superuser("librarian", password=PASSWORD)
    authors = [Author.objects.create(name=f"Author {i}") for i in range(12)]
    genres = ("essay", "novel", "poetry", "science")
    Book.objects.bulk_create(
        Book(
            title=f"Book {i:03}",
            author=authors[i % 12],
            genre=genres[i % 4],
            published=f"{1900 + i % 120}-05-17",
            lent=i % 7 == 0,
        )
        for i in range(BOOKS)
    )


class Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


if __name__ == "__main__":
    sys.modules.setdefault("django_admin", sys.modules[__name__])
    fill_database()
    server = make_server("127.0.0.1", 0, StaticFilesHandler(get_wsgi_application()), Server, Quiet)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
