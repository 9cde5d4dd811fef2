package dev.colony.blackboard.server;

import java.util.Locale;

/** When the server brings an append to the disk ({@code appendfsync}). */
public enum Fsync {
  /**
   * Before it acknowledges a write: what is acknowledged survives a crash of server and machine.
   */
  ALWAYS,
  /** Once a second: a crash of the machine may lose the last second. */
  EVERYSEC,
  /** When the operating system sees fit. */
  NO;

  /** The word that Redis and our settings use. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
