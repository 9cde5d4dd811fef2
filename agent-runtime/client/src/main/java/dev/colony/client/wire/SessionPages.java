package dev.colony.client.wire;

import dev.colony.agent.client.Session;
import dev.colony.agent.client.SessionRun;
import dev.colony.agent.client.Sessions.Page;
import java.util.List;
import java.util.Optional;

/** Pages of sessions and of their runs. */
public final class SessionPages {

  /**
   * Some of the sessions of a colony.
   *
   * @param next where the next page begins; empty behind the last
   */
  public record SessionPage(List<Session> sessions, Optional<String> next) {

    public static SessionPage of(Page<Session> page) {
      return new SessionPage(page.items(), page.next());
    }

    public Page<Session> page() {
      return new Page<>(sessions, next);
    }
  }

  /**
   * Some of the runs of a session.
   *
   * @param next where the next page begins; empty behind the last
   */
  public record SessionRunPage(List<SessionRun> runs, Optional<String> next) {

    public static SessionRunPage of(Page<SessionRun> page) {
      return new SessionRunPage(page.items(), page.next());
    }

    public Page<SessionRun> page() {
      return new Page<>(runs, next);
    }
  }

  private SessionPages() {}
}
