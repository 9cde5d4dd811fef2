package dev.colony.blackboard.protocol;

/**
 * Units of work that a coordinator hands to the workers of a pool, on a colony's scope: {@code
 * request:work:{agent}:{id}} names the worker, {@code event:work:{id}:{name}} and {@code
 * result:work:{id}} do not, so that the coordinator hears of all units by one pattern and may give
 * a unit of a lost worker to another under the same id.
 */
public final class WorkAssignmentProtocol extends RequestProtocol {

  public WorkAssignmentProtocol() {
    super("request:work:{agent}:{id}", "result:work:{id}", "event:work:{id}:{name}");
  }
}
