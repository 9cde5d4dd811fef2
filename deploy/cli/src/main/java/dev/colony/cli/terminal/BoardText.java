package dev.colony.cli.terminal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Entry;
import dev.colony.server.BoardViews.ScopeContent;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What the board commands print for people. Values are cut, and nothing acts on the terminal. */
public final class BoardText {

  private static final int VALUE_IN_A_LINE = 80;
  private static final int VALUE_BY_ITSELF = 2_000;

  private BoardText() {}

  public static String scopes(List<ScopeContent> scopes) {
    Table table = new Table("scope", "entries", "events", "newest", "subscriptions");
    for (ScopeContent one : scopes) {
      table.row(
          one.scope().path(),
          one.statistics().entries(),
          one.statistics().events(),
          one.statistics().head(),
          new TreeMap<>(one.statistics().subscriptions())
              .entrySet().stream()
                  .map(durable -> durable.getKey() + "@" + durable.getValue())
                  .collect(Collectors.joining(" ")));
    }
    return table.text();
  }

  /** One entry with all that is known of it, a line each. */
  public static String entry(Entry entry) {
    StringBuilder text = new StringBuilder(Printable.of(entry.key()));
    line(text, "version", entry.version() + " at " + entry.position());
    line(text, "created", entry.createdAt() + by(entry.createdBy()));
    line(text, "updated", entry.updatedAt() + by(entry.updatedBy()));
    entry.expiresAt().ifPresent(instant -> line(text, "expires", instant.toString()));
    if (!entry.tags().isEmpty()) {
      line(text, "tags", String.join(" ", new TreeSet<>(entry.tags())));
    }
    new TreeMap<>(entry.metadata())
        .forEach((name, value) -> line(text, "metadata", name + " = " + value));
    String value = entry.value().toString();
    line(text, "value", Printable.beginning(value, VALUE_BY_ITSELF));
    if (value.length() > VALUE_BY_ITSELF) {
      text.append(
          "%n  (%,d of %,d characters; --json prints them all)"
              .formatted(VALUE_BY_ITSELF, value.length()));
    }
    return text.toString();
  }

  public static String entryLine(Entry entry) {
    return Printable.of(
            "%s  v%d  %s%s%s  "
                .formatted(
                    entry.key(),
                    entry.version(),
                    entry.updatedAt(),
                    by(entry.updatedBy()),
                    tags(entry.tags())))
        + value(entry.value());
  }

  public static String event(BlackboardEvent event) {
    String what =
        switch (event) {
          case BlackboardEvent.Written written ->
              "written  %s  v%d%s%s"
                  .formatted(
                      written.key(), written.version(), by(written.writer()), tags(written.tags()));
          case BlackboardEvent.Deleted deleted ->
              "%s  %s  v%d%s%s"
                  .formatted(
                      deleted.evicted() ? "evicted" : "deleted",
                      deleted.key(),
                      deleted.oldVersion(),
                      by(deleted.writer()),
                      tags(deleted.tags()));
          case BlackboardEvent.Expired expired ->
              "expired  %s  v%d%s%s"
                  .formatted(
                      expired.key(),
                      expired.oldVersion(),
                      by(expired.writer()),
                      tags(expired.tags()));
          case BlackboardEvent.Cleared cleared ->
              "cleared  %d entries%s".formatted(cleared.entries(), by(cleared.writer()));
        };
    String line = Printable.of("%s  %s  %s".formatted(event.position(), event.at(), what));
    return event instanceof BlackboardEvent.Written written
        ? line + "  " + value(written.value())
        : line;
  }

  private static void line(StringBuilder text, String name, String value) {
    text.append("%n  %-9s %s".formatted(name, Printable.of(value)));
  }

  private static String by(String writer) {
    return " by " + writer;
  }

  private static String tags(Set<String> tags) {
    return tags.isEmpty() ? "" : "  #" + String.join(" #", new TreeSet<>(tags));
  }

  private static String value(JsonNode value) {
    return Printable.beginning(value.toString(), VALUE_IN_A_LINE);
  }
}
