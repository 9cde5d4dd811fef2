package dev.colony.server;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeStatistics;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * What the API and the board commands with {@code --json} say of the blackboard: the component
 * names are stable.
 */
public final class BoardViews {

  /**
   * A scope and what it holds.
   *
   * @param newest the position of the newest event
   * @param subscriptions the durable ones, with how far each has come
   */
  public record ScopeView(
      Scope scope,
      long entries,
      long events,
      Position newest,
      Map<String, Position> subscriptions) {

    public static ScopeView of(ScopeContent content) {
      return new ScopeView(
          content.scope(),
          content.statistics().entries(),
          content.statistics().events(),
          content.statistics().head(),
          new TreeMap<>(content.statistics().subscriptions()));
    }
  }

  /**
   * A page of scopes.
   *
   * @param next where the next page begins; empty behind the last
   */
  public record ScopePage(List<ScopeView> scopes, Optional<String> next) {

    public static ScopePage of(List<ScopeContent> scopes, Optional<String> next) {
      return new ScopePage(scopes.stream().map(ScopeView::of).toList(), next);
    }
  }

  public record EntryView(
      String key,
      long version,
      Position position,
      Instant createdAt,
      String createdBy,
      Instant updatedAt,
      String updatedBy,
      List<String> tags,
      Map<String, String> metadata,
      Optional<Instant> expiresAt,
      JsonNode value) {

    public static EntryView of(Entry entry) {
      return new EntryView(
          entry.key(),
          entry.version(),
          entry.position(),
          entry.createdAt(),
          entry.createdBy(),
          entry.updatedAt(),
          entry.updatedBy(),
          sorted(entry.tags()),
          new TreeMap<>(entry.metadata()),
          entry.expiresAt(),
          entry.value());
    }
  }

  /**
   * A page of entries.
   *
   * @param next where the next page begins; empty behind the last
   */
  public record EntryViewPage(List<EntryView> entries, Optional<String> next) {

    public static EntryViewPage of(EntryPage page) {
      return of(page.entries(), page.next().map(Query.Cursor::afterKey));
    }

    public static EntryViewPage of(List<Entry> entries, Optional<String> next) {
      return new EntryViewPage(entries.stream().map(EntryView::of).toList(), next);
    }
  }

  /** What happened, as an event names it. */
  public enum EventType {
    written,
    deleted,
    expired,
    cleared
  }

  /**
   * An event of a scope.
   *
   * @param key of the entry, as all up to {@code tags}; empty where the scope was cleared
   * @param value that was written
   * @param evicted whether an entry was deleted to make room
   * @param entries how many a scope had that was cleared
   */
  public record BoardEvent(
      Scope scope,
      Position position,
      Instant at,
      EventType type,
      String writer,
      Optional<String> key,
      Optional<Long> oldVersion,
      Optional<Long> version,
      Optional<List<String>> tags,
      Optional<JsonNode> value,
      Optional<Boolean> evicted,
      Optional<Long> entries) {

    public static BoardEvent of(BlackboardEvent event) {
      Optional<BlackboardEvent.OfEntry> entry =
          event instanceof BlackboardEvent.OfEntry one ? Optional.of(one) : Optional.empty();
      return new BoardEvent(
          event.scope(),
          event.position(),
          event.at(),
          EventType.valueOf(event.type().name().toLowerCase(Locale.ROOT)),
          event.writer(),
          entry.map(BlackboardEvent.OfEntry::key),
          entry.map(BlackboardEvent.OfEntry::oldVersion),
          entry.map(BlackboardEvent.OfEntry::version),
          entry.map(one -> sorted(one.tags())),
          event instanceof BlackboardEvent.Written one
              ? Optional.of(one.value())
              : Optional.empty(),
          event instanceof BlackboardEvent.Deleted one
              ? Optional.of(one.evicted())
              : Optional.empty(),
          event instanceof BlackboardEvent.Cleared one
              ? Optional.of(one.entries())
              : Optional.empty());
    }
  }

  /**
   * Events of a scope.
   *
   * @param next where the next page begins; empty behind the last
   */
  public record EventPage(List<BoardEvent> events, Optional<String> next) {

    public static EventPage of(List<BlackboardEvent> events, Optional<String> next) {
      return new EventPage(events.stream().map(BoardEvent::of).toList(), next);
    }
  }

  private BoardViews() {}

  private static List<String> sorted(Set<String> tags) {
    return tags.stream().sorted().toList();
  }

  public record ScopeContent(Scope scope, ScopeStatistics statistics) {

    private static final String READER = "cli";
    private static final int SCOPES_AT_ONCE = 256;

    /**
     * Some of the scopes in the order of their paths, with what each holds. Blocks.
     *
     * @param tenant whose scopes; empty for all tenants'
     * @param after the last one of the page before
     * @param limit how many at most; fewer come only if there are no more
     */
    public static List<ScopeContent> list(
        Blackboards blackboards, Optional<String> tenant, Optional<Scope> after, int limit) {
      List<ScopeContent> found = new ArrayList<>();
      Optional<Scope> last = after;
      while (found.size() < limit) {
        List<Scope> page = blackboards.scopes(last, SCOPES_AT_ONCE).toCompletableFuture().join();
        List<Scope> wanted =
            page.stream()
                .filter(scope -> tenant.isEmpty() || tenant.get().equals(scope.tenant()))
                .limit(limit - found.size())
                .toList();
        found.addAll(contents(blackboards, wanted));
        if (page.size() < SCOPES_AT_ONCE) {
          break;
        }
        last = Optional.of(page.getLast());
      }
      return found;
    }

    private static List<ScopeContent> contents(Blackboards blackboards, List<Scope> scopes) {
      List<CompletableFuture<ScopeContent>> asked =
          scopes.stream()
              .map(scope ->
                  blackboards
                      .open(scope, READER)
                      .statistics()
                      .thenApply(statistics -> new ScopeContent(scope, statistics))
                      .toCompletableFuture())
              .toList();
      return asked.stream().map(CompletableFuture::join).toList();
    }
  }
}
