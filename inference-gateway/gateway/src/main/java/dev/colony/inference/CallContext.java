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
 * @param shared what it may take together with other calls; empty where nothing but run, session
 *     and tenant bounds it
 * @param agent that makes it
 * @param replica where its caller has its working set: it goes there, and waits for a slot there,
 *     unless that replica takes no calls or has failed it
 * @param traceparent the span that it is, as W3C Trace Context writes it: its server is told
 * @param priority higher goes first within a tenant, {@value #LEAST} to {@value #MOST}
 * @param deadline from submission to reply, waiting and all attempts included
 */
public record CallContext(
    String tenant,
    Optional<String> session,
    Optional<String> run,
    Budget runBudget,
    Optional<CallContext.Shared> shared,
    Optional<String> agent,
    Optional<String> replica,
    Optional<String> traceparent,
    int priority,
    Duration deadline) {

  /**
   * A budget of several calls of a tenant.
   *
   * @param account names them, for people too; the same for all of them
   * @param most what they may take between them
   */
  public record Shared(String account, Budget most) {}

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
        Optional.empty(),
        Optional.empty(),
        USUAL,
        deadline);
  }

  public CallContext session(Optional<String> name) {
    return new CallContext(
        tenant, name, run, runBudget, shared, agent, replica, traceparent, priority, deadline);
  }

  public CallContext run(String id) {
    return new CallContext(
        tenant,
        session,
        Optional.of(id),
        runBudget,
        shared,
        agent,
        replica,
        traceparent,
        priority,
        deadline);
  }

  public CallContext runBudget(Budget most) {
    return new CallContext(
        tenant, session, run, most, shared, agent, replica, traceparent, priority, deadline);
  }

  public CallContext shared(Optional<Shared> budget) {
    return new CallContext(
        tenant, session, run, runBudget, budget, agent, replica, traceparent, priority, deadline);
  }

  public CallContext agent(String id) {
    return new CallContext(
        tenant,
        session,
        run,
        runBudget,
        shared,
        Optional.of(id),
        replica,
        traceparent,
        priority,
        deadline);
  }

  public CallContext replica(Optional<String> id) {
    return new CallContext(
        tenant, session, run, runBudget, shared, agent, id, traceparent, priority, deadline);
  }

  public CallContext traceparent(Optional<String> span) {
    return new CallContext(
        tenant, session, run, runBudget, shared, agent, replica, span, priority, deadline);
  }

  public CallContext priority(int of) {
    return new CallContext(
        tenant, session, run, runBudget, shared, agent, replica, traceparent, of, deadline);
  }

  public CallContext deadline(Duration within) {
    return new CallContext(
        tenant, session, run, runBudget, shared, agent, replica, traceparent, priority, within);
  }
}
