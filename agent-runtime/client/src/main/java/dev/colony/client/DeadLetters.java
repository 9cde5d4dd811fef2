package dev.colony.client;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunRequest;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.DeadLetter;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.InboxMessage;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The dead letters of all buckets of the inbox: listed, sent again, dropped. Thread-safe; stages
 * fail as the blackboard does.
 */
public final class DeadLetters {

  private static final int READ_AT_ONCE = 20;
  private static final int MOST_LOOKED_AT = 2_000;
  private static final Pattern NAME = Pattern.compile("(\\d{1,6})-(\\d{1,18}(?:-\\d{1,18})?)");

  private final Blackboards blackboards;
  private final Inbox inbox;

  /** Those of these blackboards' inbox. */
  public DeadLetters(Blackboards blackboards) {
    this.blackboards = blackboards;
    this.inbox = blackboards.inbox();
  }

  /**
   * Some dead letters.
   *
   * @param letters may be fewer than were asked for, even none, where there is a next page
   * @param next where to go on; empty where there are no more
   */
  public record Page(List<DeadLetter> letters, Optional<String> next) {}

  private record Place(int bucket, String id) {}

  /** Names a dead letter among all buckets. */
  public static String name(DeadLetter letter) {
    return name(letter.bucket(), letter.id());
  }

  private static String name(int bucket, String id) {
    return bucket + "-" + id;
  }

  private static Place place(String name) {
    Matcher parts = NAME.matcher(name);
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "a dead letter is named like 17-1718000000000-42, by a bucket and a number, not: "
              + name);
    }
    return new Place(Integer.parseInt(parts.group(1)), parts.group(2));
  }

  /**
   * Bucket by bucket, and within a bucket the oldest first. One page looks at 2,000 letters at
   * most, those of other tenants included, and costs a round trip for each bucket and each 20
   * letters.
   *
   * @param tenant only letters for its agents
   * @param after where the page before ended
   * @param limit at least 1
   * @throws IllegalArgumentException if {@code after} is no name of a dead letter
   */
  public CompletionStage<Page> list(Optional<String> tenant, Optional<String> after, int limit) {
    Optional<Place> from = after.map(DeadLetters::place);
    Listing listing = new Listing(tenant, limit);
    int first = from.map(Place::bucket).orElse(0);
    CompletionStage<Void> read =
        first < inbox.buckets()
            ? listing.read(first, from.map(Place::id))
            : CompletableFuture.completedStage(null);
    for (int bucket = first + 1; bucket < inbox.buckets(); bucket++) {
      int next = bucket;
      read = read.thenCompose(before -> listing.read(next, Optional.empty()));
    }
    return read.thenApply(all -> new Page(List.copyOf(listing.found), listing.next));
  }

  private final class Listing {

    private final Optional<String> tenant;
    private final int limit;
    private final List<DeadLetter> found = new ArrayList<>();
    private Optional<String> next = Optional.empty();
    private int looked;

    Listing(Optional<String> tenant, int limit) {
      this.tenant = tenant;
      this.limit = limit;
    }

    CompletionStage<Void> read(int bucket, Optional<String> after) {
      if (next.isPresent()) {
        return CompletableFuture.completedStage(null);
      }
      return inbox
          .deadLetters(bucket, after, READ_AT_ONCE)
          .thenCompose(letters -> {
            letters.forEach(this::look);
            return letters.size() < READ_AT_ONCE
                ? CompletableFuture.completedStage(null)
                : read(bucket, Optional.of(letters.getLast().id()));
          });
    }

    private void look(DeadLetter letter) {
      if (next.isPresent()) {
        return;
      }
      if (of(tenant, letter)) {
        found.add(letter);
      }
      looked++;
      if (found.size() == limit || looked == MOST_LOOKED_AT) {
        next = Optional.of(name(letter));
      }
    }
  }

  private static boolean of(Optional<String> tenant, DeadLetter letter) {
    return tenant.isEmpty() || letter.request().scope().tenant().equals(tenant.get());
  }

  /**
   * A dead letter, or empty if there is none of this name.
   *
   * @param tenant for whose agents it has to be; that of another is not there
   * @throws IllegalArgumentException if it is no name of a dead letter
   */
  public CompletionStage<Optional<DeadLetter>> find(Optional<String> tenant, String name) {
    Place place = place(name);
    if (place.bucket() >= inbox.buckets()) {
      return CompletableFuture.completedStage(Optional.empty());
    }
    return inbox
        .deadLetter(place.bucket(), place.id())
        .thenApply(found -> found.filter(letter -> of(tenant, letter)));
  }

  /**
   * Puts it into the inbox again. For a run, its FAILED result goes and the request is made anew,
   * under the same id and within the inbox's bounds; then the letter is removed. A repeat after a
   * crash in between finds that the run was asked for, and removes the letter. Anything else
   * becomes a new message in one operation.
   *
   * @param by who sends it, for the blackboard's attribution
   * @return fails with {@link AgentException} if the letter is not there, or if what its run left
   *     is deleted. A run that was asked for again since is not asked for once more
   */
  public CompletionStage<Void> send(DeadLetter letter, String by) {
    return run(letter.request())
        .map(run -> send(letter, run, by))
        .orElseGet(() ->
            inbox.revive(letter.bucket(), letter.id()).thenAccept(there -> check(there, letter)));
  }

  private record Run(RunPlace place, RunRequest request) {}

  /** The run that a message asks for; empty where it is something else. */
  private static Optional<Run> run(InboxMessage.Request message) {
    try {
      AgentId agent = AgentId.parse(message.recipient());
      RunRequest request = RunRequest.fromJson(message.value());
      RunPlace place = RunPlace.of(agent, request.namespace(), request.runId());
      return Optional.of(new Run(place, request))
          .filter(run ->
              place.requestKey().equals(message.key()) && place.scope().equals(message.scope()));
    } catch (IllegalArgumentException | DateTimeException another) {
      return Optional.empty();
    }
  }

  private CompletionStage<Void> send(DeadLetter letter, Run run, String by) {
    Blackboard board = blackboards.open(run.place().scope(), by);
    return RunRequests.anew(run.place(), board, run.request())
        .thenCompose(sent ->
            sent
                ? CompletableFuture.completedStage(true)
                : StoredRun.read(run.place(), board)
                    .thenApply(found -> found.request().isPresent()))
        .thenCompose(asked -> {
          if (!asked) {
            throw AgentException.refused(
                "dead letter %s is not sent: what run %s left is deleted; drop the letter"
                    .formatted(name(letter), run.place().runId()));
          }
          return inbox.drop(letter.bucket(), letter.id()).thenAccept(gone -> {});
        });
  }

  /**
   * Removes it for good; its run stays FAILED.
   *
   * @return fails with {@link AgentException} if it is not there
   */
  public CompletionStage<Void> drop(DeadLetter letter) {
    return inbox.drop(letter.bucket(), letter.id()).thenAccept(there -> check(there, letter));
  }

  private static void check(boolean there, DeadLetter letter) {
    if (!there) {
      throw AgentException.refused("there is no dead letter " + name(letter) + " any more");
    }
  }
}
