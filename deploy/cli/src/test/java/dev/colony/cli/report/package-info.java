package dev.colony.cli.report;
