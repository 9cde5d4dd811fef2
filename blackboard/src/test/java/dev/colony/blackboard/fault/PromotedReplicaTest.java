package dev.colony.blackboard.fault;

class PromotedReplicaTest extends LostTailContract {

  @Override
  LostTail tail() {
    return new PromotedReplica();
  }
}
