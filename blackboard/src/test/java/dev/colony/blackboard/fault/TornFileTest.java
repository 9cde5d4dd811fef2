package dev.colony.blackboard.fault;

class TornFileTest extends LostTailContract {

  @Override
  LostTail tail() {
    return new TornFile();
  }
}
