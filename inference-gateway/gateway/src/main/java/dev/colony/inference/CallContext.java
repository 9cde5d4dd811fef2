package dev.colony.inference;

import java.time.Duration;
import java.util.Optional;

/**
 * On whose behalf a call is made, and how urgent it is.
 *
 * @param tenant whose share and budget it counts against
 * @param session the caller's session; its calls stay on one replica where that pays
 * @param run the run that it belongs to
 * @param runBudget what that run may take in all; unlimited where it is for the gateway's settings
 *     to say
 * @param agent that makes it
 * @param replica where its caller has its working set: it goes there, and waits for a slot there,
 *     unless that replica takes no calls or has failed it
 * @param priority higher goes first within a tenant, {@value #LEAST} to {@value #MOST}
 * @param deadline from submission to reply, waiting and all attempts included
 */
public record CallContext(
    String tenant,
    Optional<String> session,
    Optional<String> run,
    Budget runBudget,
    Optional<String> agent,
    Optional<String> replica,
    int priority,
    Duration deadline) {

  public static final int LEAST = 0;
  public static final int MOST = 9;

  /** The priority of a call that says nothing of it. */
  public static final int USUAL = 5;

  /** The tenant of calls that belong to none; what they take is not summed. */
  public static final String NO_TENANT = "";

  public CallContext {
    if (priority < LEAST || priority > MOST) {
      throw new IllegalArgumentException(
          "a priority is " + LEAST + " to " + MOST + ", not " + priority);
    }
  }

  /** A call that belongs to no tenant. */
  public static CallContext within(Duration deadline) {
    return of(NO_TENANT, deadline);
  }

  /** A call of a tenant. */
  public static CallContext of(String tenant, Duration deadline) {
    return new CallContext(
        tenant,
        Optional.empty(),
        Optional.empty(),
        Budget.UNLIMITED,
        Optional.empty(),
        Optional.empty(),
        USUAL,
        deadline);
  }

  public CallContext session(Optional<String> name) {
    return new CallContext(tenant, name, run, runBudget, agent, replica, priority, deadline);
  }

  public CallContext run(String id) {
    return new CallContext(
        tenant, session, Optional.of(id), runBudget, agent, replica, priority, deadline);
  }

  public CallContext runBudget(Budget most) {
    return new CallContext(tenant, session, run, most, agent, replica, priority, deadline);
  }

  public CallContext agent(String id) {
    return new CallContext(
        tenant, session, run, runBudget, Optional.of(id), replica, priority, deadline);
  }

  public CallContext replica(Optional<String> id) {
    return new CallContext(tenant, session, run, runBudget, agent, id, priority, deadline);
  }

  public CallContext priority(int of) {
    return new CallContext(tenant, session, run, runBudget, agent, replica, of, deadline);
  }

  public CallContext deadline(Duration within) {
    return new CallContext(tenant, session, run, runBudget, agent, replica, priority, within);
  }
}
