package dev.colony.agent;

/**
 * Decides what an agent does next. Pure and deterministic: after a crash the same view is shown
 * again and must get the same decision. It is called on the agent's own thread, so it must be quick
 * and never block; what takes time is an action.
 *
 * <p>A step is at most one {@link Decision.Infer}, then one {@link Decision.Act}: two records in
 * the journal. What a policy needs from a reply in later steps it carries in an action's outcome.
 */
public interface ActionPolicy {

  /** The next decision; an exception from here fails the run with its message. */
  Decision planStep(RunView view);

  /** What to do about a model call that failed; by default the run fails with its message. */
  default Decision onModelFailure(RunView view, ModelFailure failure) {
    return new Decision.Fail(failure.message());
  }
}
