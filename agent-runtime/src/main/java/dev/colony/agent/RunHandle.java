package dev.colony.agent;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** A run that was asked for, from where its id is known until after its end. */
public interface RunHandle {

  /** Known before anything was sent. */
  RunId runId();

  /**
   * Completes when the request is stored, and survives from then on; fails as {@link #result} does
   * where it cannot be. Of a run that was asked for before it is complete.
   */
  CompletionStage<Void> stored();

  /**
   * The run's end. Fails with {@link AgentException} if the request could not be stored, if the
   * blackboard refuses to be read for good, or if the time of {@link RunOptions#timeout} is over;
   * in the latter cases the run goes on.
   */
  CompletionStage<AgentRun> result();

  /**
   * What the run makes known from its beginning on, in order, at least once each; completes after
   * the result is there.
   */
  Flow.Publisher<RunProgress> events();
}
