package dev.colony.blackboard.board;

import java.util.concurrent.Executor;

/** Where a board goes on by itself: what runs there may block, and stalls no caller. */
final class Threads {

  static final Executor VIRTUAL = task -> Thread.ofVirtual().name("blackboard-board").start(task);

  private Threads() {}
}
