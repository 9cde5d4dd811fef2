package dev.colony.agent.client;

import dev.colony.agent.SessionId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The sessions of one colony. A run is asked for within a session by {@link
 * dev.colony.agent.RunOptions#session}, and so are the runs that it sets off. Thread-safe; no call
 * blocks; stages fail as the blackboard does, and with {@link dev.colony.agent.AgentException}
 * where something is refused.
 */
public interface Sessions {

  /** How many sessions or runs a page has where nothing else is asked for. */
  int PAGE = 100;

  /**
   * Opens a session; one that is open stays as it is.
   *
   * @param by for people
   * @return fails where it was closed: a closed session is never opened again
   */
  CompletableFuture<Session> open(SessionId id, String by);

  /** The session with its totals, or empty if it was never opened. */
  CompletableFuture<Optional<Session>> get(SessionId id);

  /**
   * Closes a session for good: it admits no run from here on, also none that a run under way sets
   * off; what is under way ends as it would and still counts. One that is closed stays as it is.
   *
   * @param reason told to callers that ask for a run in it
   * @return fails if it was never opened
   */
  CompletableFuture<Session> close(SessionId id, String by, String reason);

  /**
   * Some of the sessions, in the order of their ids.
   *
   * @param state only those; empty for all
   * @param limit 1 to 10000
   * @param after where the page before ended
   */
  CompletableFuture<Page<Session>> list(
      Optional<Session.State> state, int limit, Optional<String> after);

  /**
   * Some of the runs of a session, in the order of agent, namespace and run id. A session that was
   * never opened has none.
   *
   * @param status only those; empty for all
   * @param limit 1 to 10000
   * @param after where the page before ended
   */
  CompletableFuture<Page<SessionRun>> runs(
      SessionId id, Optional<SessionRun.Status> status, int limit, Optional<String> after);

  /**
   * A part of a list.
   *
   * @param next where the next page begins; empty if there is none. A page may be short, even
   *     empty, and yet have a next one
   */
  record Page<T>(List<T> items, Optional<String> next) {

    public Page {
      items = List.copyOf(items);
    }
  }
}
