package dev.colony.agent;

/** What an agent's life hangs on. Source: the seed's agent types. */
public enum AgentKind {
  /** Loaded and unloaded together with the pages that it is bound to. */
  VCM_BOUND,
  /** Chooses its pages as it goes. */
  UNBOUND,
  /** Always running for other agents: never passivated while its node lives. */
  SERVICE,
  /** Watches over other agents, whatever becomes of pages. */
  SUPERVISOR
}
