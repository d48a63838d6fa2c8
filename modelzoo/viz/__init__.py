"""Pictures of results: functions of a Grid or a result that return a chart or HTML. No torch, no widgets."""
