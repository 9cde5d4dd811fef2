dependencies {
    api(project(":deploy:cli"))
    testImplementation(project(":agent-runtime:testkit"))
    testImplementation(project(path = ":agent-runtime:core", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:client", configuration = "testJar"))
    testImplementation(project(path = ":inference-gateway:gateway", configuration = "testJar"))
}

// Blueprints and rules that the commands read.
tasks.processResources {
    from(projectDir) {
        include("impact.json", "change-review.json", "review-rules.md", "tour.json")
    }
}
